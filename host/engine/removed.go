package engine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
)

// maxRemoved bounds how many outstanding tests are looked up by their files.
const maxRemoved = 500

// removed are those outstanding tests whose files are no longer there. What came in
// in another environment would stay for ever otherwise: this one cannot prove that
// it does not exist in that. A run with arguments proves nothing of this kind.
func (f *Finisher) removed(ctx context.Context) map[api.Test]bool {
	if f.Memory == nil || len(f.RunnerArgs) > 0 || len(f.NarrowedBy) > 0 {
		return nil
	}
	var tests []api.Test
	roots := map[api.Test]string{}
	for _, e := range f.Run.fold.Before().Entries {
		if e.Test.Test != "" && e.Args != f.ArgsKey() && len(tests) < maxRemoved {
			tests = append(tests, e.Test)
			roots[e.Test] = e.Root
		}
	}
	if len(tests) == 0 {
		return nil
	}
	removed := map[api.Test]bool{}
	near := neighbours{root: f.Project.Root.Path, texts: map[string][]byte{}}
	filter := history.TimelineFilter{Language: f.Project.ID.Language, Tests: tests, Points: 1}
	err := f.Memory.History.Timeline(ctx, filter, func(t history.Timeline) bool {
		id := t.TestKey.Test
		name := roots[id]
		if name == "" {
			name = id.Test
		}
		removed[id] = near.lost(t.File, name)
		return ctx.Err() == nil
	})
	if err != nil || ctx.Err() != nil {
		return nil
	}
	return removed
}

// neighbours looks for what became of files. It reads a directory once.
type neighbours struct {
	root  string
	texts map[string][]byte // of a directory's files; nil where it is not known
}

// maxNeighbours is how much of a directory's files is read.
const maxNeighbours = 8 << 20

// lost reports whether a test's file is gone, and no file beside it has the test's
// name: a file that was renamed took its tests along.
func (n neighbours) lost(file, test string) bool {
	if file == "" || !filepath.IsLocal(filepath.FromSlash(file)) {
		return false
	}
	if _, err := os.Lstat(filepath.Join(n.root, filepath.FromSlash(file))); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	test = ledger.PlainTestName(test)
	text := n.text(path.Dir(file))
	return test != "" && text != nil && !bytes.Contains(text, []byte(test))
}

// text is what the files of a directory hold; nil where it is not known.
func (n neighbours) text(dir string) []byte {
	text, known := n.texts[dir]
	if !known {
		text = n.read(filepath.Join(n.root, filepath.FromSlash(dir)))
		n.texts[dir] = text
	}
	return text
}

// read returns what the files of a directory hold; nil where that is too much, or
// cannot be read.
func (n neighbours) read(dir string) []byte {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return []byte{}
	}
	if err != nil {
		return nil
	}
	text := []byte{}
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			if entry.IsDir() {
				continue
			}
			return nil // a link may lead to the file
		}
		f, err := os.Open(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil
		}
		part, err := io.ReadAll(io.LimitReader(f, int64(maxNeighbours-len(text))))
		if f.Close(); err != nil {
			return nil
		}
		if text = append(append(text, part...), '\n'); len(text) >= maxNeighbours {
			return nil
		}
	}
	return text
}
