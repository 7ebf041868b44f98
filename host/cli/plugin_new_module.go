package cli

import (
	"os"
	"strings"
)

// modulePath is the module that proctor and its sdk are in.
const modulePath = "github.com/proctorhq/proctor"

// declaresModule reports whether a go.mod is that of a module.
func declaresModule(file, module string) bool {
	raw, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(raw)) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == "module" {
			return fields[1] == module
		}
	}
	return false
}
