package source

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// MaxFile bounds one source file; the largest generated ones are a few MiB.
	MaxFile = 16 << 20
	// MaxPackage bounds the files of a directory in total.
	MaxPackage = 64 << 20
)

// DirFunctions finds the functions that "go test" runs in all test files of a directory,
// whatever their build constraints. For a missing directory the error is
// [io/fs.ErrNotExist].
func (r Reader) DirFunctions(dir string) ([]Function, error) {
	files, err := r.GoFiles(dir)
	if err != nil && len(files) == 0 {
		return nil, err
	}
	var functions []Function
	unread := []error{err}
	room := int64(MaxPackage)
	for _, file := range files {
		if name := filepath.Base(file); !strings.HasSuffix(name, "_test.go") || name[0] == '_' || name[0] == '.' {
			continue
		}
		src, err := r.Bytes(file, min(MaxFile, room))
		unread = append(unread, err)
		room -= int64(len(src))
		functions = append(functions, scanFile(file, src)...)
	}
	return functions, errors.Join(unread...)
}

// FileFunctions finds the functions that "go test" runs in one test file.
func (r Reader) FileFunctions(path string) ([]Function, error) {
	src, err := r.Bytes(path, MaxFile)
	return scanFile(path, src), err
}

func scanFile(path string, src []byte) []Function {
	functions := Scan(src)
	for i := range functions {
		functions[i].File = path
	}
	return functions
}

// GoFiles returns the paths of a directory's Go files, sorted. With an error the list
// may be incomplete.
func (r Reader) GoFiles(dir string) ([]string, error) {
	entries, err := r.entries(dir)
	var files []string
	for _, entry := range entries {
		if !entry.IsDir() && strings.HasSuffix(entry.Name(), ".go") {
			files = append(files, filepath.Join(dir, entry.Name()))
		}
	}
	slices.Sort(files)
	return files, err
}

// IsPackage reports whether a directory holds a Go file.
func (r Reader) IsPackage(dir string) bool {
	files, _ := r.GoFiles(dir) // a directory that cannot be listed is no package
	return len(files) > 0
}

// Files returns the absolute paths of at most limit regular files in or below a
// directory that keep accepts, unsorted. complete reports whether nothing was left out.
// It does not follow symbolic links.
func (r Reader) Files(dir string, limit int, keep func(path string, entry fs.DirEntry) bool) (files []string, complete bool) {
	complete = true
	dirs := []string{dir}
	for seen := 0; len(dirs) > 0; {
		dir := dirs[len(dirs)-1]
		dirs = dirs[:len(dirs)-1]
		entries, err := r.entries(dir)
		complete = complete && err == nil
		for _, entry := range entries {
			if seen++; seen > limit {
				return files, false
			}
			path := filepath.Join(dir, entry.Name())
			switch {
			case !keep(path, entry):
			case entry.IsDir():
				dirs = append(dirs, path)
			case entry.Type().IsRegular():
				files = append(files, path)
			}
		}
	}
	return files, complete
}
