package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// dir is a store in a directory. Machines may share it over a file system with hard links.
type dir struct{ root string }

func openDir(root string) (Store, error) {
	root, err := filepath.Abs(root)
	if err == nil {
		err = os.MkdirAll(root, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("the store %s: %w", root, err)
	}
	return dir{root}, nil
}

func (d dir) path(name string) string { return filepath.Join(d.root, filepath.FromSlash(name)) }

// Put stores an object. Its errors name the store and not a file, so that those of all objects
// are one to the reader.
func (d dir) Put(_ context.Context, name string, data []byte) (stored bool, err error) {
	stored, err = d.put(name, data)
	var at *fs.PathError
	if errors.As(err, &at) {
		err = fmt.Errorf("the store %s cannot be written: %w", d.root, at.Err)
	}
	return stored, err
}

func (d dir) put(name string, data []byte) (stored bool, err error) {
	if err := checkName(name); err != nil {
		return false, err
	}
	target := d.path(name)
	if _, err := os.Lstat(target); err == nil {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return false, err
	}
	f, err := os.CreateTemp(filepath.Dir(target), tempPrefix+"*")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return false, err
	}
	// A link, unlike a rename, never replaces what is there.
	if err := os.Link(f.Name(), target); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return false, nil
		}
		return false, err
	}
	return true, syncDir(filepath.Dir(target))
}

// tempPrefix begins the names of files that are being written.
const tempPrefix = ".new-"

// syncDir makes the names in a directory durable, where the system can.
func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	_ = d.Sync() // Windows cannot
	return d.Close()
}

func (d dir) Get(_ context.Context, name string) ([]byte, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	return os.ReadFile(d.path(name))
}

func (d dir) List(_ context.Context, prefix string) ([]string, error) {
	var names []string
	err := d.each(prefix, func(name string, _ fs.DirEntry) error {
		names = append(names, name)
		return nil
	})
	slices.Sort(names)
	return names, err
}

func (d dir) Ages(_ context.Context, prefix string) (map[string]time.Time, error) {
	ages := map[string]time.Time{}
	err := d.each(prefix, func(name string, e fs.DirEntry) error {
		info, err := e.Info()
		if err == nil {
			ages[name] = info.ModTime()
		} else if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return ages, err
}

func (d dir) Remove(_ context.Context, name string) error {
	if err := checkName(strings.TrimSuffix(name, "/")); err != nil {
		return err
	}
	if strings.HasSuffix(name, "/") {
		return os.RemoveAll(d.path(name)) // with what writers that died have left
	}
	err := os.Remove(d.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// each yields the objects below a prefix.
func (d dir) each(prefix string, yield func(name string, e fs.DirEntry) error) error {
	return filepath.WalkDir(d.path(path.Clean(prefix)), func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		if !e.IsDir() && !strings.HasPrefix(e.Name(), tempPrefix) {
			rel, err := filepath.Rel(d.root, p)
			if err != nil {
				return err
			}
			return yield(filepath.ToSlash(rel), e)
		}
		return nil
	})
}
