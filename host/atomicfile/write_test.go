package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestAFileIsWrittenWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	say := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, writeErr := io.WriteString(w, text)
			return errors.Join(writeErr, err)
		}
	}
	broken := errors.New("broken")
	if size, err := Write(path, 0o644, say("half", broken)); !errors.Is(err, broken) || size != 0 {
		t.Errorf("a write that failed: %d bytes, %v", size, err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("a write that failed left a file")
	}
	if size, err := Write(path, 0o644, say("old", nil)); err != nil || size != 3 {
		t.Fatal(size, err)
	}
	if _, err := Write(path, 0o644, say("half of the new", broken)); !errors.Is(err, broken) {
		t.Error(err)
	}
	if got, err := os.ReadFile(path); string(got) != "old" || err != nil {
		t.Errorf("after a write that failed: %q, %v", got, err)
	}
	if err := WriteBytes(path, 0o640, []byte("new one")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); string(got) != "new one" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if st, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v, %v", st.Mode(), err)
	}
	if _, err := Write(dir, 0o644, say("x", nil)); err == nil {
		t.Error("a directory was replaced")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestAFileIsCreatedOnlyWhereThereIsNone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if size, err := Create(path, 0o644, bytesTo([]byte("one"))); err != nil || size != 3 {
		t.Fatal(size, err)
	}
	for _, there := range []string{path, dir} {
		if _, err := Create(there, 0o644, bytesTo([]byte("two"))); !errors.Is(err, fs.ErrExist) {
			t.Errorf("creating %s again: %v", there, err)
		}
	}
	if got, err := os.ReadFile(path); string(got) != "one" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestOnlyABusyFileIsTriedAgain(t *testing.T) {
	busy, other := errors.New("busy"), errors.New("other")
	isBusy := func(err error) bool { return errors.Is(err, busy) }
	for _, tc := range []struct {
		name    string
		results []error
		want    error
		tries   int
	}{
		{"at once", []error{nil}, nil, 1},
		{"busy for a moment", []error{busy, busy, nil}, nil, 3},
		{"another error", []error{busy, other}, other, 2},
		{"busy for ever", nil, busy, renameTries},
	} {
		tries, pauses := 0, 0
		err := insist(func() error {
			tries++
			if tries > len(tc.results) {
				return busy
			}
			return tc.results[tries-1]
		}, isBusy, func() { pauses++ })
		if !errors.Is(err, tc.want) || tries != tc.tries || pauses != tries-1 {
			t.Errorf("%s: %v after %d tries and %d pauses", tc.name, err, tries, pauses)
		}
	}
}
