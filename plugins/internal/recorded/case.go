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
)

// gzipAbove is the size from which a stream is stored compressed: a diff of
// more than this is read by nobody.
const gzipAbove = 128 << 10

// Case is one recorded case, with meta data of a kind that its corpus defines.
type Case[M any] struct {
	Name string
	dir  string
	Meta M
}

// Load reads the names and meta data of all cases below dir.
func Load[M any](dir string) ([]Case[M], error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var cases []Case[M]
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		c := Case[M]{Name: e.Name(), dir: filepath.Join(dir, e.Name())}
		if err := c.Read("meta.json", &c.Meta); err != nil {
			return nil, err
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// Sources are the files the case was recorded from: those of the case itself
// and, where it has no file of that name, those of ../common, if there is one.
func (c Case[M]) Sources() ([]File, error) {
	data, err := os.ReadFile(c.path("src.txtar"))
	if err != nil {
		return nil, err
	}
	files := ParseArchive(data)
	own := map[string]bool{}
	for _, f := range files {
		own[f.Name] = true
	}
	common := os.DirFS(filepath.Join(c.dir, "..", "..", "common"))
	err = fs.WalkDir(common, ".", func(path string, d fs.DirEntry, err error) error {
		if path == "." && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() || own[path] {
			return err
		}
		data, err := fs.ReadFile(common, path)
		files = append(files, File{Name: path, Data: data})
		return err
	})
	return files, err
}

// Stream is the recorded "stdout" or "stderr".
func (c Case[M]) Stream(name string) ([]byte, error) {
	data, err := os.ReadFile(c.path(name))
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	packed, err := os.ReadFile(c.path(name + ".gz"))
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
func (c Case[M]) Save(stdout, stderr []byte) error {
	for name, data := range map[string][]byte{"stdout": stdout, "stderr": stderr} {
		if err := c.saveStream(name, data); err != nil {
			return err
		}
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(c.Meta); err != nil {
		return err
	}
	return os.WriteFile(c.path("meta.json"), buf.Bytes(), 0o644)
}

func (c Case[M]) saveStream(name string, data []byte) error {
	plain, packed := c.path(name), c.path(name+".gz")
	if len(data) <= gzipAbove {
		if err := os.Remove(packed); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return os.WriteFile(plain, data, 0o644)
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
	if err := os.Remove(plain); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(packed, buf.Bytes(), 0o644)
}

func (c Case[M]) path(name string) string { return filepath.Join(c.dir, name) }

// Read decodes a JSON file of the case. It refuses unknown fields: a misspelt
// expectation would check nothing.
func (c Case[M]) Read(name string, to any) error {
	data, err := os.ReadFile(c.path(name))
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(to); err != nil {
		return fmt.Errorf("%s: %w", c.path(name), err)
	}
	return nil
}
