package checkout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/git"
)

const (
	// maxFiles and maxBytes bound a checkout: far more than a project has, and less
	// than the expansion of a tree that contains itself over and over.
	maxFiles = 2_000_000
	maxBytes = 64 << 30
	// maxDepth bounds submodules within submodules.
	maxDepth = 8
)

// tree is the part of a commit that matters here.
type tree struct {
	// submodules are commits by path.
	submodules [][2]string
	// attributes are the paths of attributes files, small those of files that may be
	// pointers to content stored elsewhere.
	attributes, small []string
}

// place checks out a commit into an empty directory.
func (c *Checkout) place(ctx context.Context, from Repository, commit, dir, shown string, depth int) error {
	own := from.Git.Alone(c.slot.home()).In(dir)
	if err := Borrow(ctx, own, from); err != nil {
		return err
	}
	held, err := listTree(ctx, own, commit)
	if err != nil {
		return err
	}
	if err := own.Stream(ctx, io.Discard, "-c", "advice.detachedHead=false", "checkout", "--quiet", "--force", "--detach", commit); err != nil {
		return err
	}
	if err := c.resolvePointers(ctx, from, held, dir, shown); err != nil {
		return err
	}
	for _, s := range held.submodules {
		if err := c.placeSubmodule(ctx, from, s[0], s[1], dir, shown, depth); err != nil {
			return err
		}
	}
	return nil
}

// placeSubmodule checks out a submodule from the user's repository of it, or leaves it
// out if that fails.
func (c *Checkout) placeSubmodule(ctx context.Context, from Repository, path, commit, dir, shown string, depth int) error {
	shown = joinShown(shown, path)
	into := filepath.Join(dir, filepath.FromSlash(path))
	err := fmt.Errorf("more than %d are nested", maxDepth)
	var sub Repository
	if depth < maxDepth {
		sub, err = from.submodule(ctx, path)
	}
	if err == nil {
		err = c.place(ctx, sub, commit, into, shown, depth+1)
	}
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	why := "its repository lacks commit " + commit[:min(len(commit), 12)]
	if _, ok := errors.AsType[*RepositoryError](err); ok {
		why = "it does not exist"
	}
	c.noteLack(fmt.Sprintf("the submodule %s: %s", shown, why))
	return errors.Join(RemoveTree(into), os.Mkdir(into, 0o755))
}

// Borrow makes a repository in the directory of own, which must be [git.Git.Alone], that
// borrows the objects of another and nothing else: no setting, hook or filter.
func Borrow(ctx context.Context, own git.Git, from Repository) error {
	if _, err := own.Line(ctx, "-c", "init.defaultBranch=proctor", "init", "--quiet", "--template=", "--object-format="+from.Format, "."); err != nil {
		return err
	}
	info := filepath.Join(own.Dir(), ".git", "objects", "info")
	if err := os.MkdirAll(info, 0o700); err != nil {
		return err
	}
	line := filepath.ToSlash(from.Objects)
	if strings.ContainsAny(line, "\n\r") {
		line = strconv.Quote(line)
	}
	if err := os.WriteFile(filepath.Join(info, "alternates"), []byte(line+"\n"), 0o600); err != nil {
		return err
	}
	// A shallow repository says where its history ends.
	shallow, err := os.ReadFile(filepath.Join(from.Common, "shallow"))
	if err != nil {
		return nil
	}
	return os.WriteFile(filepath.Join(own.Dir(), ".git", "shallow"), shallow, 0o600)
}

// listTree reads what a commit holds: "MODE TYPE HASH SIZE\tPATH", see git-ls-tree(1).
func listTree(ctx context.Context, own git.Git, commit string) (tree, error) {
	var t tree
	var bytes int64
	files := 0
	err := own.Each(ctx, func(record string) bool {
		fields, path, _ := strings.Cut(record, "\t")
		columns := strings.Fields(fields)
		if len(columns) != 4 {
			return true
		}
		size, _ := strconv.ParseInt(columns[3], 10, 64)
		files, bytes = files+1, bytes+size
		switch base := path[strings.LastIndexByte(path, '/')+1:]; {
		case columns[1] == "commit":
			t.submodules = append(t.submodules, [2]string{path, columns[2]})
		case columns[0] == "120000":
		case base == ".gitattributes":
			t.attributes = append(t.attributes, path)
		case size > 0 && size <= maxPointer:
			t.small = append(t.small, path)
		}
		return files <= maxFiles && bytes <= maxBytes
	}, "ls-tree", "-r", "-z", "-l", "--full-tree", commit)
	if err == nil && (files > maxFiles || bytes > maxBytes) {
		err = fmt.Errorf("commit %s is too large to be checked out: more than %d files or %d GiB", commit, maxFiles, int64(maxBytes)>>30)
	}
	return t, err
}

// CheckSize returns an error if a commit is far larger than any project.
func CheckSize(ctx context.Context, own git.Git, commit string) error {
	_, err := listTree(ctx, own, commit)
	return err
}

func joinShown(above, path string) string {
	if above == "" {
		return path
	}
	return above + "/" + path
}
