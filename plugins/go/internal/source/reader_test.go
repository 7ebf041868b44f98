package source_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
)

// newWorkspace creates a directory with a file and a symlink to a file beside the
// directory.
func newWorkspace(t *testing.T) (dir, outside string) {
	t.Helper()
	parent, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, outside = filepath.Join(parent, "ws"), filepath.Join(parent, "other", "x_test.go")
	testfiles.WriteAll(t, parent, map[string]string{
		"ws/p/a_test.go":  "package p\nfunc TestA(t *testing.T) {}\n",
		"other/x_test.go": "package p\nfunc TestX(t *testing.T) {}\n",
		"other/go.mod":    "module other\n",
	})
	for name, target := range map[string]string{
		"p/x_test.go": outside, "inside_test.go": "p/a_test.go", "dir": filepath.Dir(outside),
	} {
		if err := os.Symlink(target, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	return dir, outside
}

func TestFilesOutsideAnUploadAreNotRead(t *testing.T) {
	dir, outside := newWorkspace(t)
	upload := source.NewReader(dir, map[string]string{source.Upload: "1"})
	for _, path := range []string{"p/x_test.go", "dir/x_test.go", "../other/x_test.go"} {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if data, err := upload.Bytes(path, 100); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %q, %v", path, data, err)
		}
		if _, err := (source.Reader{}).Bytes(path, 100); err != nil {
			t.Error("without a mark:", err)
		}
	}
	if _, err := upload.Bytes(outside, 100); err == nil {
		t.Error("a path of another directory was read")
	}
	for _, path := range []string{"p/a_test.go", "inside_test.go"} {
		if _, err := upload.Bytes(filepath.Join(dir, path), 100); err != nil {
			t.Error(err)
		}
	}
	if files, err := upload.GoFiles(filepath.Join(dir, "dir")); err == nil || len(files) > 0 {
		t.Errorf("another directory was listed: %q, %v", files, err)
	}
	functions, err := upload.DirFunctions(filepath.Join(dir, "p"))
	if err == nil || len(functions) != 1 || functions[0].Name != "TestA" {
		t.Errorf("%v, %v", functions, err)
	}
	functions, err = source.NewReader(dir, nil).DirFunctions(filepath.Join(dir, "p"))
	if err != nil || len(functions) != 2 {
		t.Errorf("a link of a project was not followed: %v, %v", functions, err)
	}
}

func TestAFileThatIsTooLargeIsNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a_test.go")
	testfiles.Write(t, path, "12345")
	if data, err := (source.Reader{}).Bytes(path, 5); err != nil || string(data) != "12345" {
		t.Errorf("%q, %v", data, err)
	}
	if data, err := (source.Reader{}).Bytes(path, 4); err == nil || !strings.Contains(err.Error(), "larger than 4 bytes") {
		t.Errorf("%q, %v", data, err)
	}
	// A sparse file takes no room on the disk.
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip("no such large files here:", err)
	}
	if functions, err := (source.Reader{}).DirFunctions(filepath.Dir(path)); err == nil {
		t.Errorf("%v", functions)
	}
}

func TestTheFilesOfADirectoryAreBoundedTogether(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a_test.go", "b_test.go", "c_test.go", "d_test.go", "e_test.go"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, source.MaxFile); err != nil {
			t.Skip("no such large files here:", err)
		}
	}
	if _, err := (source.Reader{}).DirFunctions(dir); err == nil || !strings.Contains(err.Error(), "e_test.go: larger than 0 bytes") {
		t.Errorf("%v", err)
	}
}
