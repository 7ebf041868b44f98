package gotest

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/outline"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/sdk"
)

// Outline implements [sdk.Outliner]. It reports the Go files that have no syntax
// error and are not very large.
func (d *Detector) Outline(ctx context.Context, req sdk.OutlineRequest, sink sdk.OutlineSink) error {
	o := outliner{reader: source.NewReader(req.Workspace.Root, req.Workspace.Env), uses: map[string]func(string) bool{}}
	for _, name := range req.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := filepath.FromSlash(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(req.Workspace.Root, path)
		}
		if units, ok := o.file(path); ok {
			sink.File(sdk.OutlinedFile{File: name, Units: units})
		}
	}
	return nil
}

// outliner reads the files of one request.
type outliner struct {
	reader source.Reader
	// uses has an entry for each directory of a test file.
	uses map[string]func(string) bool
}

func (o *outliner) file(path string) ([]sdk.SourceUnit, bool) {
	if filepath.Ext(path) != ".go" {
		return nil, false
	}
	src, err := o.reader.Bytes(path, outline.MaxFile)
	if err != nil {
		return nil, false
	}
	var used func(string) bool
	if strings.HasSuffix(path, "_test.go") {
		used = o.used(filepath.Dir(path))
	}
	return outline.File(src, used)
}

// used tells which names the tests of a directory mention. Where one of them cannot be
// read it may mention any.
func (o *outliner) used(dir string) func(string) bool {
	if known, ok := o.uses[dir]; ok {
		return known
	}
	uses := outline.Uses{}
	used := func(name string) bool { return uses[name] }
	files, err := o.reader.GoFiles(dir)
	room := int64(source.MaxPackage)
	for _, file := range files {
		if err != nil {
			break
		}
		if strings.HasSuffix(file, "_test.go") {
			var src []byte
			src, err = o.reader.Bytes(file, min(source.MaxFile, room))
			room -= int64(len(src))
			uses.Add(src)
		}
	}
	if err != nil {
		used = func(string) bool { return true }
	}
	o.uses[dir] = used
	return used
}
