package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxFile bounds one test file; the largest generated ones are a few MiB.
const maxFile = 64 << 20

// Dir finds the functions that "go test" runs in all test files of a
// directory, whatever their build constraints say. A missing directory is
// [fs.ErrNotExist].
func Dir(dir string) ([]Function, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var functions []Function
	var unread []error
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, "_test.go") || name[0] == '_' || name[0] == '.' {
			continue
		}
		found, err := File(filepath.Join(dir, name))
		if err != nil {
			unread = append(unread, err)
		}
		functions = append(functions, found...)
	}
	return functions, errors.Join(unread...)
}

// File finds the functions that "go test" runs in one test file.
func File(path string) ([]Function, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("not a file, or too large for a test file")}
	}
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	functions := Scan(src)
	for i := range functions {
		functions[i].File = path
	}
	return functions, nil
}

// IsPackage tells whether a directory holds a Go file.
func IsPackage(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(entry os.DirEntry) bool {
		return !entry.IsDir() && strings.HasSuffix(entry.Name(), ".go")
	})
}
