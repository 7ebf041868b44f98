package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/coverage/affected"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
)

// Difference is how the sources differ from those of a commit.
type Difference struct {
	// Base names the commit, as requested and as resolved.
	Base string
	// Commit is the full name of the commit.
	Commit  string
	Changes []affected.Change
	// before is the earlier state; root is the root of the workspace.
	before fingerprint.State
	root   string
}

// DifferenceSince compares the sources with those of a revision. An invalid revision is
// a [*api.UsageError].
func DifferenceSince(ctx context.Context, cfg fingerprint.Config, root, rev string) (Difference, error) {
	before, err := fingerprint.OfCommit(ctx, cfg, rev)
	var unknown *fingerprint.UnknownRevisionError
	var none *fingerprint.NoRepositoryError
	switch {
	case errors.As(err, &unknown):
		return Difference{}, &api.UsageError{Reason: fmt.Sprintf("git knows no revision %s here: %s", unknown.Rev, unknown.Detail), Fix: "name a commit, a branch or a tag, such as HEAD or main"}
	case errors.As(err, &none):
		return Difference{}, &api.UsageError{Reason: "changes are found with git, and " + none.Error(), Fix: "name a file, run everything, or create a repository with `git init`"}
	case err != nil:
		return Difference{}, err
	}
	base := rev
	if len(before.Commit) >= shortCommit && rev != before.Commit {
		base = fmt.Sprintf("%s (%s)", rev, before.Commit[:shortCommit])
	}
	now, err := fingerprint.Take(ctx, cfg)
	if err != nil {
		return Difference{}, err
	}
	d, why := compareSources(root, before, now.State, base)
	if why != "" {
		return d, fmt.Errorf("the changes cannot be determined: %s", why)
	}
	return d, err
}

// differenceSinceRun compares the sources with those that a run saw. known is false if
// these are not on record, or the run saw more than one state of them.
func differenceSinceRun(ctx context.Context, m *ledger.Ledger, root, id string) (d Difference, known bool, err error) {
	run, err := m.History.Run(ctx, id)
	var none *api.NoRunError
	if errors.As(err, &none) || err == nil && (run.MixedState || run.Fingerprint == "") {
		return d, false, nil
	}
	if err != nil {
		return d, false, err
	}
	before, known, err := m.State(ctx, run.Fingerprint)
	if err != nil || !known {
		return d, false, err
	}
	cfg := m.SourceConfig(ctx)
	now := m.KnownSources(cfg)
	if now == nil {
		if now, err = fingerprint.Take(ctx, cfg); err != nil {
			return d, false, err
		}
	}
	d, why := compareSources(root, before, now.State, "run "+run.ID)
	return d, why == "", nil
}

// compareSources compares the present sources with an earlier state, named base, or says
// why it cannot.
func compareSources(root string, before, now fingerprint.State, base string) (d Difference, why string) {
	if why := ledger.WhyIncomparable(before, now); why != "" {
		return Difference{}, why
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	d = Difference{Base: base, Commit: before.Commit, before: before, root: root}
	for _, c := range fingerprint.Diff(before, now) {
		d.Changes = append(d.Changes, affected.Change{
			Path: inWorkspace(now.Top, root, c.Path), Added: c.Kind == fingerprint.Added, Removed: c.Kind == fingerprint.Deleted,
			Link: isLink(before, c.Path) || isLink(now, c.Path),
		})
	}
	return d, ""
}

func isLink(s fingerprint.State, path string) bool {
	f, ok := s.Find(path)
	return ok && f.Mode == fingerprint.Symlink
}

// inBase reports whether a path, in the form of those of the changes, is a regular file of
// the earlier state.
func (d *Difference) inBase(path string) bool {
	whole := path
	if !filepath.IsAbs(path) {
		whole = filepath.Join(d.root, filepath.FromSlash(path))
	}
	below, err := filepath.Rel(d.before.Top, whole)
	if err != nil {
		return false
	}
	f, ok := d.before.Find(filepath.ToSlash(below))
	return ok && (f.Mode == fingerprint.Regular || f.Mode == fingerprint.Executable) && inWorkspace(d.before.Top, d.root, f.Path) == path
}

// shortCommit is how many digits of a commit are shown.
const shortCommit = 10

// inWorkspace converts a path relative to top into one relative to the workspace, or into
// an absolute one outside of it.
func inWorkspace(top, root, path string) string {
	whole := filepath.Join(top, filepath.FromSlash(path))
	if below, err := filepath.Rel(root, whole); err == nil && filepath.IsLocal(below) {
		return filepath.ToSlash(below)
	}
	return whole
}

// maxHashed bounds a file that is read for its digest, in bytes: a larger one is judged by
// its modification time.
const maxHashed = 64 << 20

// Digests computes the digests of files, each once. It is safe for concurrent use.
type Digests struct {
	root string

	mu    sync.Mutex
	known map[string]string
}

func NewDigests(root string) *Digests { return &Digests{root: root, known: map[string]string{}} }

// Of returns the digest of a file as in [coverage.Suite]. The path is absolute or relative
// to the root.
func (d *Digests) Of(path string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if digest, ok := d.known[path]; ok {
		return digest
	}
	digest := digestFile(d.absolute(path))
	d.known[path] = digest
	return digest
}

func (d *Digests) absolute(path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(d.root, path)
}

// writtenSince reports whether a file was written after a moment, even if version
// control does not know it.
func (d *Digests) writtenSince(path string, moment time.Time) bool {
	info, err := os.Stat(d.absolute(path))
	// Clocks of file systems are coarse.
	return err == nil && info.Mode().IsRegular() && info.ModTime().After(moment.Add(-10*time.Millisecond))
}

// digestFile returns the digest of a file or directory; empty if there is none. Anything
// else is never opened: a pipe would block.
func digestFile(path string) string {
	info, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		return ""
	case err != nil:
		return "unreadable"
	case info.IsDir():
		return digestOfDir(path)
	case !info.Mode().IsRegular():
		return "special"
	case info.Size() > maxHashed:
		return hashTexts(info.ModTime().String(), info.Mode().String(), path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "unreadable"
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, maxHashed)); err != nil {
		return "unreadable"
	}
	// Tests may depend on whether a file is executable.
	sum.Write([]byte{byte(info.Mode().Perm() >> 6 & 1)})
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// digestOfDir returns a digest of the names in a directory, which a test may list.
func digestOfDir(path string) string {
	entries, err := os.ReadDir(path)
	if err != nil {
		return "unreadable"
	}
	var names []string
	for _, e := range entries {
		if !isInternal(e.Name()) {
			names = append(names, e.Name()+"\x00"+e.Type().String())
		}
	}
	return hashTexts(names...)
}

// isInternal reports whether a name belongs to proctor or to version control.
func isInternal(name string) bool { return name == ".proctor" || name == ".git" }

func hashTexts(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x01")))
	return hex.EncodeToString(sum[:12])
}

// MaxSource bounds a source file whose lines are kept.
const MaxSource = 4 << 20

// Lines returns the hashes of a source file's lines; nil if it cannot be read.
func (d *Digests) Lines(path string) []uint32 {
	text, ok := readSource(d.absolute(path))
	if !ok {
		return nil
	}
	return coverage.HashLines(text)
}

func readSource(path string) ([]byte, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > MaxSource {
		return nil, false
	}
	text, err := os.ReadFile(path)
	return text, err == nil && len(text) <= MaxSource
}
