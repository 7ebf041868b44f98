package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// newVersionCommand makes what people type before they read that it is a flag. It says
// more than the flag: which build it is, for a report of a bug.
func newVersionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:    "version",
		Short:  "Print the version, and what it was built from",
		Long:   `Print the version of proctor, the commit it was built from, and with which Go.`,
		Hidden: true,
		Example: `  proctor version
  proctor --version`,
		Args: takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			build, _ := debug.ReadBuildInfo()
			_, err := fmt.Fprint(a.env.Stdout, describeBuild(version(), build))
			return err
		},
	}
}

// describeBuild says what a program was built from, as far as the go command recorded it.
func describeBuild(version string, build *debug.BuildInfo) string {
	var b strings.Builder
	fmt.Fprintf(&b, "proctor %s\n", version)
	recorded := map[string]string{}
	if build != nil {
		for _, s := range build.Settings {
			recorded[s.Key] = s.Value
		}
	}
	if commit := recorded["vcs.revision"]; commit != "" {
		b.WriteString("commit " + commit)
		if at := recorded["vcs.time"]; at != "" {
			b.WriteString(" of " + at)
		}
		if recorded["vcs.modified"] == "true" {
			b.WriteString(", with changes that are not committed")
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return b.String()
}
