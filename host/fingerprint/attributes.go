package fingerprint

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/git"
)

// attributesName is where a repository says how git treats files.
const attributesName = ".gitattributes"

// conversions are the attributes by which git converts a file on its way to and from
// the working tree.
var conversions = [...]string{"filter", "text", "eol", "crlf", "ident", "working-tree-encoding"}

// converted finds the files that git may convert. They are always read, as their
// objects are not what is in the working tree: if the object counted while git
// considers a file unchanged, merely touching the file would change the state.
func (w *walk) converted(ctx context.Context, r *repository, clean []*file) ([]*file, error) {
	if len(clean) == 0 {
		return nil, nil
	}
	if r.settings.convert {
		return clean, nil
	}
	sources := append([]string{r.settings.attributes, filepath.Join(commonDir(r.gitDir), "info", "attributes")}, systemAttributes(w.cfg.Git)...)
	sources = append(sources, w.attributes[r]...)
	for _, path := range sources {
		if mentions(path) {
			return r.askAttributes(ctx, clean)
		}
	}
	return nil, nil
}

// maxAttributes bounds what is read of an attributes file; a longer one is taken to
// mention everything.
const maxAttributes = 1 << 20

// mentions reports whether an attributes file says anything about conversions.
func mentions(path string) bool {
	raw, err := readSmall(path, maxAttributes)
	if errors.Is(err, os.ErrNotExist) || len(raw) == 0 && err == nil {
		return false
	}
	if err != nil || len(raw) == maxAttributes {
		return true
	}
	for _, name := range conversions {
		if bytes.Contains(raw, []byte(name)) {
			return true
		}
	}
	return false
}

// askAttributes has git determine the attributes of files.
func (r *repository) askAttributes(ctx context.Context, files []*file) ([]*file, error) {
	var questions bytes.Buffer
	for _, f := range files {
		questions.WriteString(r.inside(f.Path))
		questions.WriteByte(0)
	}
	out, err := r.git.Feed(ctx, &questions, append([]string{"check-attr", "--stdin", "-z"}, conversions[:]...)...)
	if err != nil {
		return nil, err
	}
	var found []*file
	for _, f := range files {
		convert := false
		for range conversions {
			var fields [3]string // path, attribute, value
			for i := range fields {
				field, rest, ok := bytes.Cut(out, []byte{0})
				if !ok {
					return nil, &git.Error{Dir: r.top, Command: "check-attr", Err: io.ErrUnexpectedEOF}
				}
				fields[i], out = string(field), rest
			}
			if fields[0] != r.inside(f.Path) {
				return nil, &git.Error{Dir: r.top, Command: "check-attr", Err: errors.New("it answered for another file")}
			}
			convert = convert || fields[2] != "unspecified" && fields[2] != "unset"
		}
		if convert {
			found = append(found, f)
		}
	}
	return found, nil
}
