package recorded

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// File is one file of an archive.
type File struct {
	Name string
	Data []byte
}

// ParseArchive reads the txtar format: text before the first "-- name --" line
// is a comment, then each such line starts a file.
func ParseArchive(data []byte) []File {
	var files []File
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		if name, ok := fileHeader(line); ok {
			files = append(files, File{Name: name})
		} else if len(files) > 0 {
			last := &files[len(files)-1]
			last.Data = append(append(last.Data, line...), '\n')
		}
		data = rest
	}
	return files
}

// Extract writes the files below dir.
func Extract(files []File, dir string) error {
	for _, f := range files {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
			return fmt.Errorf("archive holds %q, which leaves its directory", f.Name)
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

func fileHeader(line []byte) (string, bool) {
	s := strings.TrimRight(string(line), "\r")
	if !strings.HasPrefix(s, "-- ") || !strings.HasSuffix(s, " --") || len(s) < 7 {
		return "", false
	}
	return strings.TrimSpace(s[3 : len(s)-3]), true
}
