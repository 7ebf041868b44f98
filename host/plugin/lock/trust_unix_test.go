//go:build unix

package lock

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestALockFileThatOthersMayWriteToIsRefused(t *testing.T) {
	root, inner := project(t)
	path := put(t, root, ProjectFile, text)
	for name, c := range map[string]struct {
		file, dir, start fs.FileMode
		reason           string
	}{
		"of one's own":                    {0o644, 0o755, 0o755, ""},
		"of a group of one's own":         {0o664, 0o775, 0o775, ""},
		"open to all":                     {0o666, 0o755, 0o755, "chmod o-w " + path},
		"in a directory open to all":      {0o644, 0o777, 0o755, "chmod o-w " + root},
		"in one where only owners remove": {0o644, 0o777 | fs.ModeSticky, 0o755, ""},
		"where everything is open to all": {0o666, 0o777, 0o777, ""},
	} {
		for at, mode := range map[string]fs.FileMode{path: c.file, root: c.dir, inner: c.start} {
			if err := os.Chmod(at, mode); err != nil {
				t.Fatal(err)
			}
		}
		got, err := Find(inner)
		if c.reason == "" && (err != nil || got != path) {
			t.Errorf("one %s: %q, %v", name, got, err)
		}
		if fault, ok := errors.AsType[*Error](err); c.reason != "" && (got != "" || !ok || !strings.Contains(fault.Reason, c.reason)) {
			t.Errorf("one %s: %q, %v", name, got, err)
		}
	}
}

func TestALockFileOfAnotherUserIsRefusedUnlessTheDirectoryIsTheirsToo(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	const other, another = 12345, 12346
	root, inner := project(t)
	path := put(t, root, ProjectFile, text)
	for name, c := range map[string]struct {
		file, group, start int
		refused            bool
	}{
		"one's own":                      {0, 0, other, false},
		"another's":                      {other, 0, 0, true},
		"the owner's of the directory":   {other, other, other, false},
		"another's than the directory's": {another, 0, other, true},
	} {
		if err := errors.Join(os.Chown(path, c.file, c.group), os.Chown(inner, c.start, 0)); err != nil {
			t.Fatal(err)
		}
		got, err := Find(inner)
		if (err != nil) != c.refused || (got == "") != c.refused {
			t.Errorf("one that is %s: %q, %v", name, got, err)
		}
	}
	if err := errors.Join(os.Chown(path, 0, other), os.Chmod(path, 0o664)); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(inner); err == nil || !strings.Contains(err.Error(), "chmod g-w "+path) {
		t.Errorf("one that another group may write to: %v", err)
	}
}

func TestALockFileThatIsAPipeIsNotWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), ProjectFile)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no pipes here:", err)
	}
	if _, err := Read(path); err == nil {
		t.Error("a pipe was read")
	}
}

func TestAUserFileThatOthersMayWriteIsRefused(t *testing.T) {
	dir := t.TempDir()
	path := put(t, dir, UserFile, text)
	for name, c := range map[string]struct {
		file, dir fs.FileMode
		reason    string
	}{
		"of one's own":               {0o644, 0o755, ""},
		"of a group of one's own":    {0o664, 0o775, ""},
		"open to all":                {0o666, 0o755, "chmod o-w " + path},
		"in a directory open to all": {0o644, 0o777, "chmod o-w " + dir},
		"where everything is open":   {0o666, 0o777, "chmod o-w " + path},
	} {
		if err := errors.Join(os.Chmod(path, c.file), os.Chmod(dir, c.dir)); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path)
		fault, ok := errors.AsType[*Error](err)
		if c.reason == "" && err != nil || c.reason != "" && (!ok || !strings.Contains(fault.Reason, c.reason)) {
			t.Errorf("one %s: %v", name, err)
		}
		if _, own := ReadOwn(path, maxSize); (own == nil) != (err == nil) {
			t.Errorf("one %s: %v", name, own)
		}
		if err := Change(t.Context(), path, func(*File) error { return nil }); (err == nil) != (c.reason == "") {
			t.Errorf("one %s is changed: %v", name, err)
		}
	}
	if _, err := ReadOwn(filepath.Join(dir, "none"), maxSize); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	const other = 12345
	if err := errors.Join(os.Chmod(path, 0o644), os.Chmod(dir, 0o755), os.Chown(path, other, other)); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "another user (12345)") {
		t.Error(err)
	}
	// Root with the home directory of a user.
	if err := os.Chown(dir, other, other); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err != nil {
		t.Error(err)
	}
}
