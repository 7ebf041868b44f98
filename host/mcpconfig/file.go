package mcpconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/atomicfile"
)

// maxFile bounds a configuration file, in bytes: more than any settings need.
const maxFile = 4 << 20

// file is a configuration file as found.
type file struct {
	// path is its common name, target its real path.
	path, target string
	data         []byte
	mode         fs.FileMode
	// dirMode is the mode of directories created for it.
	dirMode fs.FileMode
}

// openFile reads a file, if it exists. It follows links that stay within one of the
// directories of base.
func openFile(path string, base []string, private bool) (*file, error) {
	f := &file{path: path, mode: 0o644, dirMode: 0o755}
	if private {
		// A user's settings may some day hold keys of other servers.
		f.mode, f.dirMode = 0o600, 0o700
	}
	var err error
	if f.target, err = follow(path, base); err != nil {
		return nil, err
	}
	st, err := os.Stat(f.target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return nil, f.failure(err)
	case !st.Mode().IsRegular():
		return nil, f.failure(refuse(0, "it is not a regular file"))
	case st.Mode().Perm()&0o200 == 0:
		return nil, f.failure(refuse(0, "it is read-only"))
	case st.Size() > maxFile:
		return nil, f.failure(refuse(0, "it has %d bytes; the limit is %d", st.Size(), maxFile))
	}
	f.mode = st.Mode().Perm()
	f.data, err = f.read()
	return f, err
}

func (f *file) read() ([]byte, error) {
	r, err := os.Open(f.target)
	if err != nil {
		return nil, f.failure(err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, f.failure(err)
	}
	return data, nil
}

// replace writes the new text, unless the file changed since it was read: clients write
// their settings, too.
func (f *file) replace(data []byte) error {
	if err := os.MkdirAll(filepath.Dir(f.target), f.dirMode); err != nil {
		return f.failure(err)
	}
	now, err := os.ReadFile(f.target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f.failure(err)
	}
	if !bytes.Equal(now, f.data) {
		return f.failure(refuse(0, "something else is writing it; try again"))
	}
	if err := atomicfile.WriteBytes(f.target, f.mode, data); err != nil {
		return f.failure(err)
	}
	return nil
}

// failure adds the file to an error.
func (f *file) failure(err error) error {
	if r, ok := errors.AsType[*refusal](err); ok {
		return &FileError{Path: f.path, Line: r.line, Reason: r.reason}
	}
	return &FileError{Path: f.path, Reason: reason(err)}
}

// reason removes the path from an error, as the message has it already.
func reason(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Op + ": " + p.Err.Error()
	}
	return err.Error()
}

// follow resolves the links of a path whose end may not exist. It refuses a path that
// leaves the directories of base: a project must not make us write elsewhere.
func follow(path string, base []string) (string, error) {
	target, err := resolve(path)
	if err != nil {
		return "", &FileError{Path: path, Reason: err.Error()}
	}
	for _, dir := range base {
		if dir, err = resolve(dir); err == nil && isWithin(target, dir) {
			return target, nil
		}
	}
	return "", &FileError{Path: path, Reason: fmt.Sprintf("it leads to %s, outside of %s, and is not followed there", target, base[0])}
}

// resolve resolves the links of the existing part of a path.
func resolve(path string) (string, error) {
	_, err := os.Lstat(path)
	if parent := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && parent != path {
		dir, err := resolve(parent)
		return filepath.Join(dir, filepath.Base(path)), err
	}
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("it is a symbolic link to something that does not exist")
	}
	if err != nil {
		return "", errors.New(reason(err))
	}
	return target, nil
}

func isWithin(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// edit replaces the bytes from start to end.
type edit struct {
	start, end int
	text       string
}

// apply makes edits that do not overlap. Those at the same place apply in the given
// order.
func apply(data []byte, edits []edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, data[at:e.start]...), e.text...)
		at = e.end
	}
	return append(out, data[at:]...)
}
