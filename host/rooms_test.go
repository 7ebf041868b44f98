package host_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/proctorhq/proctor/"

// room is a rule: packages below the path may import, of this module, only
// packages below those listed. A package that is listed with an equals sign
// stands for itself alone.
type room struct {
	path    string
	imports []string
}

// rooms is the table of ARCHITECTURE.md. The first room that a package is in
// counts.
var rooms = []room{
	{"sdk/plugintest", []string{"sdk"}},
	{"sdk", []string{"sdk"}},
	{"plugins", []string{"sdk", "plugins"}},
	{"host/record", nil},
	{"host/verdict", []string{"host/record"}},
	{"host/rerun", []string{"host/record"}},
	{"host/measure", []string{"host/record"}},
	{"host/coverage/affected", []string{"=host/coverage", "host/record", "sdk"}},
	{"host/coverage/store", []string{"=host/coverage", "host/internal/atomicfile", "host/record", "sdk"}},
	{"host/coverage", []string{"host/record", "sdk"}},
	{"host/report", []string{"host/record"}},
	{"host/git", nil},
	{"host/internal/atomicfile", nil},
	{"host/fingerprint", []string{"host/git"}},
	{"host/history", []string{"host/fingerprint", "host/history", "host/record", "host/rerun"}},
	{"host/classify", []string{"host/history", "host/record"}},
	{"host/config", nil},
	{"host/checkout", []string{"host/git"}},
	{"host/session", []string{"host/internal/atomicfile", "host/record"}},
	{"host/procgroup", nil},
	{"host/workspace", nil},
	{"host/sandbox", []string{"host/runner", "host/workspace"}},
	{"host/upload", []string{"sdk"}},
	{"host/runner", []string{"host/procgroup", "sdk"}},
	{"host/plugin/manifest", nil},
	{"host/plugin/lock", []string{"host/plugin/manifest", "host/internal/atomicfile"}},
	{"host/plugin/store", []string{"host/plugin/manifest", "host/internal/atomicfile"}},
	{"host/plugin/held", []string{"host/plugin/lock", "host/plugin/manifest", "host/plugin/store"}},
	{"host/plugin", []string{"host/plugin", "host/procgroup", "host/internal/atomicfile", "sdk"}},
	// Nothing that a run or an agent's front imports can download.
	{"host/install/index", []string{"host/plugin/manifest"}},
	{"host/install/archive", []string{"host/plugin/manifest"}},
	{"host/install/source", []string{"host/install/archive", "host/install/index", "host/plugin/lock", "host/plugin/manifest", "host/plugin/store", "host/procgroup"}},
	{"host/install/publish", []string{"host/install/archive", "host/install/index", "host/internal/atomicfile", "host/plugin/manifest", "host/plugin/store"}},
	{"host/install/template", nil},
	{"host/install", []string{"host/install", "host/internal/atomicfile", "host/plugin/held", "host/plugin/lock", "host/plugin/manifest", "host/plugin/store"}},
	// Fronts call the facade, and need the answers' types and words.
	{"host/mcpserver", []string{"=host", "host/session", "host/workspace", "host/record", "host/report", "=sdk"}},
	{"host/mcpclients", []string{"host/internal/atomicfile", "host/report"}},
	{"host", []string{"host/plugin", "host/record", "host/verdict", "host/rerun", "host/measure", "host/report", "host/git", "host/internal", "host/fingerprint", "host/history", "host/classify", "host/config", "host/coverage", "host/checkout", "host/session", "host/workspace", "host/sandbox", "host/upload", "host/runner", "sdk"}},
	{"cmd/proctor-plugin-go", []string{"plugins/go", "sdk"}},
	{"cmd/proctor-plugin-forge", []string{"plugins/forge", "sdk"}},
	{"examples", nil},
	{"bench", []string{"bench", "host/history"}},
	{"cmd/proctor", []string{"=host", "host/session", "host/workspace", "host/install", "host/plugin/manifest", "host/mcpserver", "host/mcpclients", "host/record", "host/measure", "host/report", "sdk"}},
}

// pure packages take values and return values.
var pure = []string{"host/record", "host/verdict", "host/rerun", "host/measure", "host/classify", "host/coverage", "host/coverage/affected"}

// forbiddenInPure are packages that read or change the world.
var forbiddenInPure = []string{"os", "net", "time", "context", "io", "syscall", "os/exec", "path/filepath"}

type listed struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", module+"...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func below(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

func TestPackagesImportOnlyWhatTheirRoomAllows(t *testing.T) {
	checked := 0
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		rule, ok := roomOf(path)
		if !ok {
			t.Errorf("%s is in no room: add it to the table and to ARCHITECTURE.md", path)
			continue
		}
		for _, imported := range p.Imports {
			target, ours := strings.CutPrefix(imported, module)
			if !ours || below(target, path) {
				continue
			}
			checked++
			if !allowed(rule, target) {
				t.Errorf("%s imports %s, which its room does not allow", path, target)
			}
		}
	}
	if checked == 0 {
		t.Fatal("no import was checked")
	}
}

func TestPurePackagesTouchNothing(t *testing.T) {
	found := 0
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		for _, name := range pure {
			if path != name {
				continue
			}
			found++
			for _, imported := range p.Imports {
				for _, f := range forbiddenInPure {
					// These have points in time in their objects.
					if imported == f && !(f == "time" && (path == "host/record" || path == "host/measure" || path == "host/coverage")) {
						t.Errorf("%s imports %s and is meant to be pure", path, imported)
					}
				}
			}
		}
	}
	if found != len(pure) {
		t.Fatalf("%d of %d pure packages found", found, len(pure))
	}
}

func roomOf(path string) (room, bool) {
	for _, r := range rooms {
		if below(path, r.path) {
			return r, true
		}
	}
	return room{}, false
}

func allowed(r room, target string) bool {
	for _, dir := range r.imports {
		exact, alone := strings.CutPrefix(dir, "=")
		if alone && target == exact || !alone && below(target, dir) {
			return true
		}
	}
	return false
}
