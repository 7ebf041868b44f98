package fingerprint

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// FuzzParseIndex checks that a damaged index gives an error without a panic or large
// allocations.
func FuzzParseIndex(f *testing.F) {
	if git, err := exec.LookPath("git"); err == nil {
		for _, version := range []string{"2", "3", "4"} {
			dir := f.TempDir()
			for _, name := range []string{"a", "a-b", "long-name"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o666); err != nil {
					f.Fatal(err)
				}
			}
			for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"update-index", "--index-version", version}} {
				cmd := exec.Command(git, args...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					f.Fatalf("%s", out)
				}
			}
			raw, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(raw, false)
		}
	}
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00aaaaaaaaaaaaaaaaaaaa"), false)
	f.Fuzz(func(t *testing.T, raw []byte, wide bool) {
		entries, err := parseIndex(raw, wide)
		if err != nil {
			return
		}
		for i, e := range entries {
			if e.path == "" || i > 0 && entries[i-1].path >= e.path {
				t.Fatalf("%v", entries)
			}
		}
	})
}

func TestAnUnknownPartOfTheIndexIsRefused(t *testing.T) {
	sum := make([]byte, 20)
	for ext, ok := range map[string]bool{"TREE": true, "link": false, "sdir": true, "Zxyz": true, "nope": false} {
		raw := []byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00" + ext + "\x00\x00\x00\x02ab")
		if _, err := parseIndex(append(raw, sum...), false); (err == nil) != ok {
			t.Errorf("%s: %v", ext, err)
		}
	}
}
