package recorded

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/txtar"
)

// RootPlaceholder stands in committed streams for the directory of the case.
const RootPlaceholder = "/proctor-case"

// gzipAbove is the size in bytes above which a stream is kept compressed beside its
// archive: a larger diff is too long to review.
const gzipAbove = 128 << 10

// sourcesBelow is the directory of the archive that holds what a case was
// recorded from.
const sourcesBelow = "src/"

// Case is one recorded case. Its corpus defines the metadata M and the
// expectation W.
type Case[M, W any] struct {
	Name    string
	Meta    M
	dir     string
	archive *txtar.Archive
}

// Load reads all cases in dir, each the archive NAME.txtar.
func Load[M, W any](dir string) ([]Case[M, W], error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s holds no case", dir)
	}
	cases := make([]Case[M, W], len(paths))
	for i, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			return nil, err
		}
		c := Case[M, W]{Name: strings.TrimSuffix(filepath.Base(path), ".txtar"), dir: dir, archive: archive}
		if err := c.read("meta.json", &c.Meta); err != nil {
			return nil, err
		}
		cases[i] = c
	}
	return cases, nil
}

// Want returns the expectation.
func (c Case[M, W]) Want() (W, error) {
	var w W
	err := c.read("want.json", &w)
	return w, err
}

// Sources returns the files the case was recorded from: its own and, where it has
// no file of that name, those of ../common, if that exists.
func (c Case[M, W]) Sources() ([]txtar.File, error) {
	var files []txtar.File
	own := map[string]bool{}
	for _, f := range c.archive.Files {
		if name, ok := strings.CutPrefix(f.Name, sourcesBelow); ok {
			files = append(files, txtar.File{Name: name, Data: f.Data})
			own[name] = true
		}
	}
	common := os.DirFS(filepath.Join(c.dir, "..", "common"))
	err := fs.WalkDir(common, ".", func(path string, d fs.DirEntry, err error) error {
		if path == "." && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() || own[path] {
			return err
		}
		data, err := fs.ReadFile(common, path)
		files = append(files, txtar.File{Name: path, Data: data})
		return err
	})
	return files, err
}

// Extract writes the sources of the case below dir.
func (c Case[M, W]) Extract(dir string) error {
	files, err := c.Sources()
	if err != nil {
		return err
	}
	for _, f := range files {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
			return fmt.Errorf("case %s holds %q, which leaves its directory", c.Name, f.Name)
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Stream returns the recorded "stdout" or "stderr". The error is
// [fs.ErrNotExist] if the case was not recorded yet.
func (c Case[M, W]) Stream(name string) ([]byte, error) {
	if f := c.file(name); f != nil {
		return f.Data, nil
	}
	packed, err := os.ReadFile(c.packed(name))
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// Save stores a new recording.
func (c Case[M, W]) Save(stdout, stderr []byte) error {
	var meta bytes.Buffer
	enc := json.NewEncoder(&meta)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(c.Meta); err != nil {
		return err
	}
	c.file("meta.json").Data = meta.Bytes()
	if err := c.saveStream("stdout", stdout); err != nil {
		return err
	}
	if err := c.saveStream("stderr", stderr); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.dir, c.Name+".txtar"), txtar.Format(c.archive), 0o644)
}

// saveStream puts a stream into the archive, or beside it if it is large or
// would not survive in an archive byte for byte.
func (c Case[M, W]) saveStream(name string, data []byte) error {
	c.archive.Files = slices.DeleteFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == name })
	if len(data) <= gzipAbove && isArchivable(data) {
		c.archive.Files = append(c.archive.Files, txtar.File{Name: name, Data: data})
		if err := os.Remove(c.packed(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(c.packed(name), buf.Bytes(), 0o644)
}

// isArchivable reports whether data survives in an archive, and in the hands of
// editors and version control.
func isArchivable(data []byte) bool {
	if !utf8.Valid(data) || bytes.ContainsAny(data, "\x00\r") {
		return false
	}
	back := txtar.Parse(txtar.Format(&txtar.Archive{Files: []txtar.File{{Name: "x", Data: data}}}))
	return len(back.Files) == 1 && bytes.Equal(back.Files[0].Data, data)
}

// read decodes a JSON file of the case. It refuses unknown fields: a misspelt
// expectation would check nothing.
func (c Case[M, W]) read(name string, to any) error {
	f := c.file(name)
	if f == nil {
		return fmt.Errorf("case %s has no %s", c.Name, name)
	}
	dec := json.NewDecoder(bytes.NewReader(f.Data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(to); err != nil {
		return fmt.Errorf("%s of case %s: %w", name, c.Name, err)
	}
	return nil
}

func (c Case[M, W]) file(name string) *txtar.File {
	for i, f := range c.archive.Files {
		if f.Name == name {
			return &c.archive.Files[i]
		}
	}
	return nil
}

func (c Case[M, W]) packed(stream string) string {
	return filepath.Join(c.dir, c.Name+"."+stream+".gz")
}
