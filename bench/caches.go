package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// caches are build caches of one module: each program has its own, and finds in it what
// building the unedited module left, whatever ran before.
type caches struct{ dir string }

// newCaches creates them with the standard library in all of them.
func newCaches(ctx context.Context, dir, name string) (caches, error) {
	std := filepath.Join(dir, "std")
	if _, err := os.Stat(std); err != nil {
		build := exec.CommandContext(ctx, "go", "build", "std")
		build.Env = append(os.Environ(), "GOCACHE="+std)
		if out, err := build.CombinedOutput(); err != nil {
			return caches{}, fmt.Errorf("go build std: %w\n%s", err, out)
		}
	}
	c := caches{filepath.Join(dir, name)}
	return c, linkTree(c.of(byProctor), std)
}

// The programs, each with its build cache. That of the first is filled before the first edit.
const (
	byProctor  = "proctor"
	byGo       = "go"
	byGoCached = "go-cached"
)

// of returns the cache of a program.
func (c caches) of(program string) string { return filepath.Join(c.dir, program) }

// env is an addition to the environment of a program.
func (c caches) env(program string) string { return "GOCACHE=" + c.of(program) }

func (c caches) kept() string { return c.of("kept") }

// keep keeps what is in the cache now.
func (c caches) keep() error {
	if err := os.RemoveAll(c.kept()); err != nil {
		return err
	}
	return os.Rename(c.of(byProctor), c.kept())
}

// renew makes the cache of a program as it was kept.
func (c caches) renew(program string) error { return linkTree(c.of(program), c.kept()) }

// drop removes the cache of a program.
func (c caches) drop(program string) error { return os.RemoveAll(c.of(program)) }

// linkTree makes dir a copy of source with the same files: the go command never changes one
// that it has written, except into the same.
func linkTree(dir, source string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return filepath.WalkDir(source, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(dir, rel), 0o755)
		}
		return os.Link(path, filepath.Join(dir, rel))
	})
}
