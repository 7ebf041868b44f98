package ledger

import (
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/git"
)

const (
	// contentsDir, beside the runs, holds uncommitted files of recorded states.
	contentsDir = "contents"
	// MaxContent bounds one file: more than anybody writes by hand. maxContents bounds
	// all of them; the oldest go first.
	MaxContent  = 1 << 20
	maxContents = 32 << 20
)

// KeepContents stores the uncommitted files of a state, so that a later answer can say
// which of their lines changed since a run. It is best effort: a file that cannot be
// stored is merely missing from that answer.
func KeepContents(ctx context.Context, l *Ledger, seen Seen) {
	if len(seen.Uncommitted) == 0 || l.readOnly {
		return
	}
	root, err := os.OpenRoot(l.Artifacts.Dir())
	if err != nil {
		return
	}
	defer root.Close()
	if err := root.Mkdir(contentsDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return
	}
	added := false
	for _, f := range seen.Uncommitted {
		if ctx.Err() != nil {
			return
		}
		added = keepContent(root, seen.State.Top, f) || added
	}
	if added {
		pruneContents(root)
	}
}

// keepContent stores one file, and reports whether it is new. A file that has changed
// since the state was determined is left out.
func keepContent(root *os.Root, top string, f fingerprint.File) bool {
	name := contentName(f)
	if f.Mode == fingerprint.Symlink || f.Mode == fingerprint.Submodule {
		return false
	}
	if _, err := root.Lstat(name); err == nil {
		return false
	}
	content, _, err := fingerprint.ReadFile(top, f.Path, MaxContent)
	if err != nil || !f.Holds(content) || bytes.IndexByte(content, 0) >= 0 {
		return false
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err == nil {
		_, err = w.Write(content)
		err = errors.Join(err, w.Close())
	}
	// Two runs may store the same file at once, so it gets its name only when complete.
	part := name + ".part"
	if err == nil {
		err = root.WriteFile(part, packed.Bytes(), 0o600)
	}
	if err == nil {
		err = root.Rename(part, name)
	}
	return err == nil
}

func contentName(f fingerprint.File) string {
	return filepath.Join(contentsDir, hex.EncodeToString(f.Hash[:]))
}

// pruneContents removes the oldest files beyond the bound.
func pruneContents(root *os.Root) {
	dir, err := root.Open(contentsDir)
	if err != nil {
		return
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return
	}
	var kept []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			kept = append(kept, info)
		}
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	total := int64(0)
	for _, info := range kept {
		if total += info.Size(); total > maxContents {
			_ = root.Remove(filepath.Join(contentsDir, info.Name()))
		}
	}
}

// ReadContent returns what a file of a state held; ok is false if it was neither
// committed nor kept.
func ReadContent(ctx context.Context, l *Ledger, state fingerprint.State, f fingerprint.File) (content []byte, ok bool) {
	if content, ok := readKeptContent(l, f); ok {
		return content, true
	}
	cfg := l.Keeper.SourceConfig(l.Artifacts.Workspace())
	if cfg.Git == "" || state.Commit == "" || state.Top == "" {
		return nil, false
	}
	content, err := git.New(cfg.Git, cfg.Env).In(state.Top).Run(ctx, "cat-file", "blob", state.Commit+":"+f.Path)
	if err != nil || len(content) > MaxContent || !f.Holds(content) {
		return nil, false
	}
	return content, true
}

// readKeptContent reads a kept file. Anybody may have put it there, so its size is
// bounded and its hash checked.
func readKeptContent(l *Ledger, f fingerprint.File) ([]byte, bool) {
	packed, _, err := fingerprint.ReadFile(l.Artifacts.Dir(), filepath.ToSlash(contentName(f)), 2*MaxContent)
	if err != nil {
		return nil, false
	}
	content, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), MaxContent+1))
	return content, err == nil && f.Holds(content)
}
