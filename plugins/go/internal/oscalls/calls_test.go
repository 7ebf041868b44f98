package oscalls_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/plugins/go/internal/oscalls"
)

func TestCallIsThatOfTheFunctionAroundABlock(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "src", "os"), 0o755); err != nil {
		t.Fatal(err)
	}
	const text = `package os

func Open(name string) error {
	if name == "" {
		return nil
	}
	return nil
}

func (*File) Stat() {}

func (*Root) Readlink() {
	println()
}

func StartProcess() { println() }
func external()
`
	for name, text := range map[string]string{"file.go": text, "broken.go": "package"} {
		testfiles.Write(t, filepath.Join(root, "src", "os", name), text)
	}
	sources := oscalls.Sources{Goroot: root}
	for _, test := range []struct {
		file string
		line int
		want oscalls.Call
	}{
		{"os/file.go", 2, 0},
		{"os/file.go", 3, oscalls.Open},
		{"os/file.go", 5, oscalls.Open},
		{"os/file.go", 8, oscalls.Open},
		{"os/file.go", 9, 0},
		{"os/file.go", 10, 0},
		{"os/file.go", 13, oscalls.ReadLink},
		{"os/file.go", 16, oscalls.Start},
		{"os/file.go", 17, 0},
		{"os/exec/exec.go", 3, 0},
		{"example.com/os/file.go", 3, 0},
		{"os/broken.go", 1, oscalls.Other},
		{"os/missing.go", 1, oscalls.Other},
	} {
		for range 2 {
			if got := sources.CallAt(test.file, test.line); got != test.want {
				t.Errorf("%s:%d is %d, want %d", test.file, test.line, got, test.want)
			}
		}
	}
	if got := new(oscalls.Sources).CallAt("os/file.go", 3); got != oscalls.Other {
		t.Errorf("without Go it is %d", got)
	}
}
