package plugin

import (
	"fmt"
	"path/filepath"

	"github.com/proctorhq/proctor/sdk"
)

// maxScaffold bounds each list of a scaffold.
const maxScaffold = 1000

// checkScaffold validates what a plugin wants around a source set: it must stay within
// the workspace, and paths on the machine must be absolute.
func checkScaffold(s sdk.Scaffold) *violation {
	if n := max(len(s.Files), len(s.Links), len(s.Readable)); n > maxScaffold {
		return violates("files", "a list has %d entries and may have %d", n, maxScaffold)
	}
	for i, f := range s.Files {
		if f.Path == "" || !localPath(f.Path) {
			return violates(fmt.Sprintf("files[%d].path", i), "%q leaves the workspace", cleanLine(f.Path, 256))
		}
	}
	for i, l := range s.Links {
		field := fmt.Sprintf("links[%d].", i)
		if l.Path == "" || !localPath(l.Path) {
			return violates(field+"path", "%q leaves the workspace", cleanLine(l.Path, 256))
		}
		if !wholePath(l.Target) {
			return violates(field+"target", "%q is not an absolute, clean path below the root", cleanLine(l.Target, 256))
		}
	}
	for i, path := range s.Readable {
		if !wholePath(path) {
			return violates(fmt.Sprintf("readable[%d]", i), "%q is not an absolute, clean path below the root", cleanLine(path, 256))
		}
	}
	if v := checkCommand(sdk.Command{Argv: []string{"-"}, Env: s.Env}); v != nil {
		return v
	}
	return nil
}

// wholePath reports whether a path is absolute, clean and not the root: exposing the
// whole machine is not a scaffold.
func wholePath(path string) bool {
	return filepath.IsAbs(path) && filepath.Clean(path) == path && filepath.Dir(path) != path
}
