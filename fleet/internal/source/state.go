package source

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/git"
)

// object is what git has at a path.
type object struct{ mode, name string }

// is reports whether the object is a file of a state.
func (o object) is(f fingerprint.File) bool {
	raw, err := hex.DecodeString(o.name)
	return err == nil && o.mode == modes[f.Mode] && len(raw) >= len(f.Hash) && bytes.Equal(raw[:len(f.Hash)], f.Hash[:])
}

// modes are git's names of the kinds of a file.
var modes = [...]string{
	fingerprint.Regular: "100644", fingerprint.Executable: "100755", fingerprint.Symlink: "120000", fingerprint.Submodule: "160000",
}

// commit commits the files as they are, upon t.Commit, and returns the commit; links are the
// commits of submodules.
func (c capture) commit(ctx context.Context, own git.Git, top string, t Tree, files []fingerprint.File, links map[string]string) (string, error) {
	held, err := listTree(ctx, own, t.Commit)
	if err != nil {
		return "", err
	}
	var changed []fingerprint.File
	for _, f := range files {
		if o, ok := held[f.Path]; !ok || !o.is(f) {
			changed = append(changed, f)
		}
		delete(held, f.Path)
	}
	moved := map[string]string{}
	for _, s := range t.Submodules {
		if held[s.Path].name != s.Tree.Commit {
			moved[s.Path] = s.Tree.Commit
		}
		delete(held, s.Path)
	}
	if len(held)+len(changed)+len(moved) == 0 {
		return t.Commit, nil
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return "", err
	}
	defer root.Close()
	in, feed := io.Pipe()
	fed := make(chan error, 1)
	go func() {
		w := importer{bufio.NewWriter(feed)}
		err := w.write(root, t.Commit, held, changed, moved, links)
		feed.CloseWithError(err)
		fed <- err
	}()
	_, err = run(ctx, own, in, "fast-import", "--quiet")
	in.CloseWithError(io.ErrClosedPipe)
	if ferr := <-fed; ferr != nil && (err == nil || !errors.Is(ferr, io.ErrClosedPipe)) {
		err = ferr
	}
	if err != nil {
		return "", err
	}
	state, err := own.Line(ctx, "rev-parse", "--verify", stateRef)
	if err != nil {
		return "", err
	}
	return state, checkChanged(ctx, own, state, changed)
}

// checkChanged returns an error if a commit has other files than the state.
func checkChanged(ctx context.Context, own git.Git, commit string, changed []fingerprint.File) error {
	made, err := listTree(ctx, own, commit)
	if err != nil {
		return err
	}
	for _, f := range changed {
		if !made[f.Path].is(f) {
			return unsendable("%q changed while the sources were read: start the run again", f.Path)
		}
	}
	return nil
}

// stateRef names the commit of the state, in a repository of ours.
const stateRef = "refs/heads/state"

// listTree lists what a commit holds: "MODE TYPE NAME\tPATH", see git-ls-tree(1).
func listTree(ctx context.Context, own git.Git, commit string) (map[string]object, error) {
	held := map[string]object{}
	err := own.Each(ctx, func(record string) bool {
		fields, path, _ := strings.Cut(record, "\t")
		if columns := strings.Fields(fields); len(columns) == 3 {
			held[path] = object{mode: columns[0], name: columns[2]}
		}
		return true
	}, "ls-tree", "-r", "-z", "--full-tree", commit)
	return held, err
}

// gitlinks returns the commits of the submodules in the index, by path: "MODE NAME STAGE\tPATH",
// see git-ls-files(1).
func gitlinks(ctx context.Context, user git.Git) (map[string]string, error) {
	links := map[string]string{}
	err := user.Each(ctx, func(record string) bool {
		fields, path, _ := strings.Cut(record, "\t")
		if columns := strings.Fields(fields); len(columns) == 3 && columns[0] == modes[fingerprint.Submodule] {
			links[path] = columns[1]
		}
		return true
	}, "ls-files", "--stage", "-z")
	return links, err
}

// filesBelow divides files into those below a directory, with their paths there, and the
// others.
func filesBelow(files []fingerprint.File, prefix string) (below, others []fingerprint.File) {
	for _, f := range files {
		if inside, ok := strings.CutPrefix(f.Path, prefix); ok {
			f.Path = inside
			below = append(below, f)
		} else {
			others = append(others, f)
		}
	}
	return below, others
}

// importer writes for `git fast-import`, which takes contents as they are.
type importer struct{ *bufio.Writer }

func (w importer) write(root *os.Root, parent string, gone map[string]object, changed []fingerprint.File, moved, links map[string]string) error {
	const message = "the working tree"
	fmt.Fprintf(w, "commit %s\ncommitter proctor <proctor@localhost> 0 +0000\ndata %d\n%s\nfrom %s\n", stateRef, len(message), message, parent)
	for _, path := range slices.Sorted(maps.Keys(gone)) { // first: a file may be where a directory was
		fmt.Fprintf(w, "D %s\n", quote(path))
	}
	for _, path := range slices.Sorted(maps.Keys(moved)) {
		fmt.Fprintf(w, "M %s %s %s\n", modes[fingerprint.Submodule], moved[path], quote(path))
	}
	for _, f := range changed {
		var err error
		switch f.Mode {
		case fingerprint.Submodule:
			if commit := links[f.Path]; commit != "" {
				fmt.Fprintf(w, "M %s %s %s\n", modes[f.Mode], commit, quote(f.Path))
			}
		case fingerprint.Symlink:
			var target string
			if target, err = root.Readlink(filepath.FromSlash(f.Path)); err == nil {
				fmt.Fprintf(w, "M %s inline %s\ndata %d\n%s\n", modes[f.Mode], quote(f.Path), len(target), target)
			}
		default:
			err = w.file(root, f)
		}
		if errors.Is(err, io.ErrClosedPipe) {
			return err // git has ended
		}
		if err != nil {
			return unsendable("%q cannot be read: %v", f.Path, err)
		}
	}
	return w.Flush()
}

// file writes the content of a file.
func (w importer) file(root *os.Root, f fingerprint.File) error {
	name := filepath.FromSlash(f.Path)
	if info, err := root.Lstat(name); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return errors.New("it is no longer a regular file")
	}
	file, err := root.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "M %s inline %s\ndata %d\n", modes[f.Mode], quote(f.Path), info.Size())
	if _, err = io.CopyN(w, file, info.Size()); err == nil {
		err = w.WriteByte('\n')
	}
	return err
}

// quote writes a path as fast-import reads it.
func quote(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}
