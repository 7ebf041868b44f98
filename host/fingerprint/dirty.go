package fingerprint

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// staged is a file whose index entry differs from the commit.
type staged struct {
	path string
	// mode is zero if the commit lacks the file.
	mode Mode
	hash Hash
	here bool
}

// readStaged asks which index entries differ from the commit. It examines no working
// file. If the commit's trees are missing, that remains unknown.
func (r *repository) readStaged(ctx context.Context) {
	if r.commit == "" {
		r.stagedKnown = true
		return
	}
	out, err := r.git.Run(ctx, "diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", r.commit)
	if err != nil {
		return
	}
	if r.staged, err = parseRawDiff(out); err == nil {
		r.stagedKnown = true
	}
}

// parseRawDiff reads `git diff-index --raw -z`: ":mode mode object object status", NUL,
// path, NUL. The first of each pair belongs to the commit.
func parseRawDiff(out []byte) ([]staged, error) {
	var list []staged
	for len(out) > 0 {
		head, rest, ok := bytes.Cut(out, []byte{0})
		path, rest, ok2 := bytes.Cut(rest, []byte{0})
		fields := strings.Fields(strings.TrimPrefix(string(head), ":"))
		if !ok || !ok2 || len(fields) != 5 {
			return nil, fmt.Errorf("git wrote %q for a difference", head)
		}
		mode, hash, err := modeAndHash(fields[0], fields[2])
		if err != nil {
			return nil, err
		}
		list = append(list, staged{path: string(path), mode: fileMode(mode), hash: hash, here: mode != 0})
		out = rest
	}
	slices.SortStableFunc(list, func(a, b staged) int { return strings.Compare(a.path, b.path) })
	return slices.CompactFunc(list, func(a, b staged) bool { return a.path == b.path }), nil
}

// committed returns the files of the commit by path, as far as the index and its
// differences show.
func (r *repository) committed() []File {
	if r.commit == "" {
		return nil
	}
	files := make([]File, 0, len(r.index))
	changes := r.staged
	add := func(s staged) {
		if s.here {
			files = append(files, File{s.path, s.mode, s.hash})
		}
	}
	for i := range r.index {
		t := &r.index[i]
		for len(changes) > 0 && changes[0].path < t.path {
			add(changes[0])
			changes = changes[1:]
		}
		if len(changes) > 0 && changes[0].path == t.path {
			add(changes[0])
			changes = changes[1:]
			continue
		}
		files = append(files, File{t.path, fileMode(t.mode), t.hash})
	}
	for _, s := range changes {
		add(s)
	}
	return files
}

// maxUncommitted is how many uncommitted files a snapshot names: more than anybody
// edits between two runs.
const maxUncommitted = 200

// Uncommitted returns the first files of the state that no commit holds.
func (s *Snapshot) Uncommitted() []File { return s.uncommitted }

// dirty counts the files that differ from the commits, -1 if unknown, and collects the
// first of those that exist.
func (s *Snapshot) dirty() int {
	n := 0
	commits := map[string]string{}
	for _, r := range s.repos {
		commits[r.prefix] = r.commit
	}
	for _, r := range s.repos {
		if !r.stagedKnown {
			return -1
		}
		n += r.dirty(s.files, commits, func(f *file) {
			if len(s.uncommitted) < maxUncommitted {
				s.uncommitted = append(s.uncommitted, f.File)
			}
		})
	}
	return n
}

// dirty counts the files of a repository that differ from its commit, and yields those
// that exist. A file that git converts counts if git has not seen it since it was
// touched. commits are those of all repositories by their prefixes.
func (r *repository) dirty(files []*file, commits map[string]string, yield func(*file)) int {
	n := 0
	committed := r.committed()
	for _, f := range files {
		if f.repo != r {
			continue
		}
		path := r.inside(f.Path)
		for len(committed) > 0 && committed[0].Path < path {
			n += r.missing(committed[0], commits)
			committed = committed[1:]
		}
		if len(committed) == 0 || committed[0].Path != path {
			n++
			yield(f)
			continue
		}
		c := committed[0]
		committed = committed[1:]
		if c.Mode != f.Mode || c.Hash != f.Hash && !r.seen(f, c) {
			n++
			yield(f)
		}
	}
	for _, c := range committed {
		n += r.missing(c, commits)
	}
	return n
}

// seen reports whether git has seen a file in its present version and found the content
// of the commit, after any conversion.
func (r *repository) seen(f *file, c File) bool {
	t := r.entry(c.Path)
	return t != nil && t.hash == c.Hash && t.looks(f.stat)
}

// missing counts an absent file of the commit as 1, unless it is left out by a sparse
// checkout, ours, or a repository of its own at the commit that this one names.
func (r *repository) missing(c File, commits map[string]string) int {
	t, commit := r.entry(c.Path), commits[r.prefix+c.Path+"/"]
	if t != nil && t.absent || ours(c.Path) || c.Mode == Submodule && (commit == "" || strings.HasPrefix(commit, hex.EncodeToString(c.Hash[:]))) {
		return 0
	}
	return 1
}
