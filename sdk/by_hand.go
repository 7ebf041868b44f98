package sdk

import (
	"fmt"
	"io"
	"slices"
)

// startedByHand answers a person who started a plugin, and returns the exit
// code.
func startedByHand(d Description, args []string, stdout, stderr io.Writer) int {
	if len(args) > 1 && slices.Contains([]string{"--version", "-version", "version"}, args[1]) {
		fmt.Fprintf(stdout, "proctor-plugin-%s %s\n", d.Name, d.Version)
		return 0
	}
	fmt.Fprintf(stderr, "This is proctor's plugin for %s tests (proctor-plugin-%s %s).\n"+
		"It is started by proctor and does nothing on its own. In your project, run:\n\n"+
		"    proctor run --lang %s\n\n", d.Language, d.Name, d.Version, d.Language)
	return 1
}
