package toolchain_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/plugins/go/internal/toolchain"
)

func TestFindReturnsTheVersionThatWillRun(t *testing.T) {
	for _, test := range []struct {
		name      string
		installed string // content of VERSION; "" for a wrapper
		setting   string
		requires  []string
		want      toolchain.Version
	}{
		{"installed", "go1.26.8\ntime 2026-08-28T16:20:06Z\n", "", nil, "go1.26.8"},
		{"old, without an end of line", "go1.20.14", "", nil, "go1.20.14"},
		{"development build", "devel go1.27-0a1b2c3 Tue", "", nil, "go1.27"},
		{"wrapper", "", "", nil, ""},
		{"nonsense", "<html>", "", nil, ""},
		{"module asks for a newer one", "go1.24.1", "auto", []string{"1.23", "1.26"}, "go1.26"},
		{"toolchain line", "go1.24.1", "", []string{"1.23", "go1.25.2"}, "go1.25.2"},
		{"module asks for an older one", "go1.24.1", "", []string{"1.18"}, "go1.24.1"},
		{"local", "go1.24.1", "local", []string{"1.26"}, "go1.24.1"},
		{"local with a fallback", "go1.24.1", "local+auto", []string{"1.26"}, "go1.26"},
		{"too old to switch", "go1.20.14", "auto", []string{"1.26"}, "go1.20.14"},
		{"named", "go1.26.8", "go1.21.3", []string{"1.26"}, "go1.21.3"},
		{"named at least", "go1.26.8", "go1.21.3+auto", []string{"1.23.1"}, "go1.23.1"},
		{"named for a wrapper", "", "go1.20.14", nil, "go1.20.14"},
		{"unknown stays unknown", "", "", []string{"1.20"}, ""},
		{"broken setting", "go1.26.8", "nosuch", nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			program := filepath.Join(root, "bin", "go")
			if test.installed != "" {
				testfiles.Write(t, filepath.Join(root, "VERSION"), test.installed)
			}
			got := toolchain.Find(toolchain.Settings{Program: program, Toolchain: test.setting, Requires: test.requires})
			if got != test.want {
				t.Errorf("version is %q, want %q", got, test.want)
			}
		})
	}
}

func TestFindFollowsALinkToTheInstallation(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{"go/bin/go": "", "go/VERSION": "go1.25.3\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, path), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(root, "go-link")
	if err := os.Symlink(filepath.Join(root, "go", "bin", "go"), link); err != nil {
		t.Skip("no symbolic links:", err)
	}
	if got := toolchain.Find(toolchain.Settings{Program: link}); got != "go1.25.3" {
		t.Errorf("version is %q", got)
	}
}

func TestAtLeastTakesAnUnknownVersionForARecentOne(t *testing.T) {
	for have, want := range map[toolchain.Version]bool{"": true, "go1.21": true, "go1.21rc2": true, "go1.20.14": false, "go1.100": true} {
		if got := have.AtLeast("go1.21"); got != want {
			t.Errorf("%q at least go1.21: %v, want %v", have, got, want)
		}
	}
}
