package sources

import (
	"os"
	"path/filepath"
	"testing"
)

func TestADigestChangesWithWhatATestSeesOfAFile(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	write("d/a", "1", 0o644)
	of := func(path string) string { return NewDigests(root).Of(path) }
	file, dir := of("d/a"), of("d")
	if file == "" || dir == "" || of("d/none") != "" {
		t.Errorf("%q, %q, %q", file, dir, of("d/none"))
	}
	if abs := of(filepath.Join(root, "d", "a")); abs != file {
		t.Errorf("the same file by its whole path: %q, %q", abs, file)
	}
	write("d/a", "2", 0o644)
	if of("d/a") == file || of("d") != dir {
		t.Error("another content changes the file and not its directory")
	}
	write("d/a", "1", 0o644)
	if of("d/a") != file {
		t.Error("the same content is another digest")
	}
	write("d/a", "1", 0o755)
	if of("d/a") == file {
		t.Error("that it can be executed is not seen")
	}
	write("d/b", "1", 0o644)
	if of("d") == dir {
		t.Error("a new name is not seen")
	}
	write("d/.proctor/x", "1", 0o644)
	os.Remove(filepath.Join(root, "d", "b"))
	if of("d") != dir {
		t.Error("our own records count")
	}
}
