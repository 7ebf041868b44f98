package lock

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/manifest/document"
)

// maxSize is the longest lock file accepted, in bytes: a hundred plugins for twenty
// platforms take half of it.
const maxSize = 1 << 20

// parse is [Read] for bytes; path is for errors. Unknown fields are ignored.
func parse(path string, data []byte) (File, error) {
	if line := findConflict(data); line > 0 {
		return File{}, &Error{
			Path: path, Line: line,
			Reason: "it has conflict markers of git: keep the plugins that are meant, remove the markers, then run `proctor plugin sync`",
		}
	}
	var f File
	err := manifest.ReadDocument(data, maxSize, path, schema, &f.Schema, f.read)
	if fault, ok := errors.AsType[*document.Error](err); ok {
		return File{}, damaged(path, fault)
	}
	if err != nil {
		return File{}, err
	}
	if fault := f.fault(); fault != nil {
		fault.Line = document.Line(data, fault.Field)
		return File{}, damaged(path, fault)
	}
	return f.normal(), nil
}

func damaged(path string, fault *document.Error) *Error {
	reason := fault.Reason
	if fault.Field != "" {
		reason = fault.Field + " " + reason
	}
	return &Error{
		Path: path, Line: fault.Line, Err: fault,
		Reason: fmt.Sprintf("%s; the file is written by `proctor plugin` alone: restore it from version control", reason),
	}
}

func (f *File) read(r *document.Reader) error {
	return r.Object(document.Fields{
		"schema":  func() error { return r.Number(&f.Schema) },
		"comment": func() error { return r.Text(&f.Comment) },
		"plugins": func() error {
			f.Plugins = map[string]Entry{}
			return r.Map(func(name string) error {
				var e Entry
				err := e.read(r)
				f.Plugins[name] = e
				return err
			})
		},
	})
}

func (e *Entry) read(r *document.Reader) error {
	return r.Object(document.Fields{
		"version":    func() error { return r.Text(&e.Version) },
		"constraint": func() error { return r.Text(&e.Constraint) },
		"source":     func() error { return r.Text(&e.Source) },
		"signer":     func() error { return r.Text(&e.Signer) },
		"module_sum": func() error { return r.Text(&e.ModuleSum) },
		"hashes": func() error {
			e.Hashes = map[manifest.Platform]Hashes{}
			return r.Map(func(platform string) error {
				var h Hashes
				err := r.Object(document.Fields{
					"archive": func() error { return r.Text(&h.Archive) },
					"bin":     func() error { return r.Text(&h.Bin) },
				})
				e.Hashes[manifest.Platform(platform)] = h
				return err
			})
		},
	})
}

// findConflict returns the line of the first conflict marker, or 0. No line of a JSON
// document can begin like one.
func findConflict(data []byte) int {
	n := 0
	for line := range bytes.Lines(data) {
		n++
		for _, marker := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
			if bytes.HasPrefix(line, []byte(marker)) {
				return n
			}
		}
	}
	return 0
}
