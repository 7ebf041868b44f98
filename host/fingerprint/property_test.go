package fingerprint_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/internal/property"
)

// content is what the oracle knows of a file: its kind and content, and when it was
// written.
type content struct {
	what    string
	written string
}

// oracle reads the working tree in the plainest way: git names the files, and all of
// them are read.
func (r *tree) oracle() map[string]content {
	found := map[string]content{}
	names := r.git("-c", "core.quotepath=off", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	for name := range strings.SplitSeq(names, "\x00") {
		full := filepath.Join(r.dir, name)
		st, err := os.Lstat(full)
		if err != nil || name == "" || r.beyondLink(name) {
			continue
		}
		c := content{written: fmt.Sprint(st.ModTime().UnixNano(), inode(st))}
		switch {
		case st.Mode().IsRegular():
			raw, _ := os.ReadFile(full)
			c.what = fmt.Sprintf("%t %s", st.Mode()&0o100 != 0, raw)
		case st.Mode()&os.ModeSymlink != 0:
			target, _ := os.Readlink(full)
			c.what = "link " + target
		default:
			continue
		}
		found[name] = c
	}
	return found
}

// beyondLink reports whether a directory of the path is a link.
func (r *tree) beyondLink(path string) bool {
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		if st, err := os.Lstat(filepath.Join(r.dir, dir)); err == nil && st.Mode()&os.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

func contents(o map[string]content) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(o)) {
		all = append(all, fmt.Sprintf("%q=%q", name, o[name].what))
	}
	return strings.Join(all, " ")
}

// difference is the oracle's equivalent of Diff for two moments.
func difference(a, b map[string]content) []string {
	var all []string
	for name := range a {
		if _, ok := b[name]; !ok {
			all = append(all, name+" deleted")
		} else if a[name].what != b[name].what {
			all = append(all, name+" modified")
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			all = append(all, name+" added")
		}
	}
	slices.Sort(all)
	return all
}

var (
	propertyNames    = []string{"a", "b.txt", "d/a", "d/b.log", "d/e/c", "d.x", "ü/ö", "-n", ":c", "new\nline", "x*[y]"}
	propertyContents = []string{"", "1", "2", "3", "12", "line\n", "line\r\n"}
	propertyIgnores  = []string{"", "*.log\n", "/d/\n", "*\n!*.txt\n!.gitignore\n", "d/*\n!d/a\n", "a\nü\n"}
	propertyConverts = []string{"", "* text=auto\n", "* -text\n", "*.txt filter=none\n", "a eol=crlf\n"}
)

// step changes something and describes it.
func (r *tree) step(t *rapid.T) string {
	name := rapid.SampledFrom(propertyNames).Draw(t, "name")
	full := filepath.Join(r.dir, name)
	// A failing command changes nothing, or something else: both are fine.
	try := func(args ...string) string {
		r.tryGit(args...)
		return strings.Join(args, " ")
	}
	switch rapid.IntRange(0, 23).Draw(t, "step") {
	case 0, 1, 2, 3, 4:
		os.MkdirAll(filepath.Dir(full), 0o777)
		text := rapid.SampledFrom(propertyContents).Draw(t, "content")
		os.WriteFile(full, []byte(text), 0o666)
		return fmt.Sprintf("write %q %q", name, text)
	case 5:
		os.RemoveAll(full)
		return "remove " + name
	case 6:
		to := rapid.SampledFrom(propertyNames).Draw(t, "to")
		os.MkdirAll(filepath.Dir(filepath.Join(r.dir, to)), 0o777)
		os.Rename(full, filepath.Join(r.dir, to))
		return "rename " + name + " to " + to
	case 7:
		os.Chmod(full, rapid.SampledFrom([]os.FileMode{0o755, 0o644}).Draw(t, "mode"))
		return "chmod " + name
	case 8:
		os.RemoveAll(full)
		os.Symlink(rapid.SampledFrom([]string{"d", "nowhere", "a"}).Draw(t, "target"), full)
		return "link " + name
	case 9:
		text := rapid.SampledFrom(propertyIgnores).Draw(t, "ignore")
		file := rapid.SampledFrom([]string{".gitignore", "d/.gitignore", ".git/info/exclude"}).Draw(t, "file")
		os.WriteFile(filepath.Join(r.dir, file), []byte(text), 0o666)
		return fmt.Sprintf("%s %q", file, text)
	case 10:
		text := rapid.SampledFrom(propertyConverts).Draw(t, "attributes")
		os.WriteFile(filepath.Join(r.dir, ".gitattributes"), []byte(text), 0o666)
		return fmt.Sprintf("attributes %q", text)
	case 11:
		now := rapid.Int64Range(0, 1<<40).Draw(t, "time")
		os.Chtimes(full, nanoseconds(now), nanoseconds(now))
		return "touch " + name
	case 12:
		os.RemoveAll(filepath.Join(r.dir, "d"))
		return "remove d"
	case 13:
		os.RemoveAll(full)
		os.MkdirAll(full, 0o777)
		return "directory " + name
	case 14:
		return try("add", "-f", "--", name)
	case 15:
		return try("rm", "-q", "--cached", "-r", "--", name)
	case 16:
		return try("add", "--intent-to-add", "--", name)
	case 17:
		return try("update-index", rapid.SampledFrom([]string{"--assume-unchanged", "--skip-worktree", "--no-assume-unchanged"}).Draw(t, "flag"), "--", name)
	case 18:
		return try("stash", rapid.SampledFrom([]string{"-u", "-q", "pop"}).Draw(t, "stash"))
	case 19:
		return try("checkout", "-q", rapid.SampledFrom([]string{"main", "other", "-f", "--orphan=third"}).Draw(t, "branch"))
	case 20:
		return try("reset", "-q", rapid.SampledFrom([]string{"--hard", "--soft", "--mixed"}).Draw(t, "reset"), rapid.SampledFrom([]string{"HEAD", "HEAD^", "other"}).Draw(t, "to"))
	case 21:
		return try("merge", "-q", "other")
	case 22:
		return try("status")
	default:
		r.tryGit("add", "-A")
		return try("commit", "-q", "-m", "x")
	}
}

func TestAStateIsWhatTheOracleReads(t *testing.T) {
	property.Check(t, func(rt *rapid.T) {
		r := newRepo(t)
		r.write("a", "1")
		r.commit()
		r.git("branch", "other")
		log := []string{}
		ids, contentsOf := map[string]string{}, map[string]string{}
		before, old := r.take(), r.oracle()
		for range rapid.IntRange(1, 14).Draw(rt, "steps") {
			log = append(log, r.step(rt))
			changed, next := r.changed(before)
			now, fresh := r.oracle(), r.take()
			fail := func(format string, args ...any) {
				rt.Helper()
				rt.Fatalf("%s\nafter %s\nit is %s", fmt.Sprintf(format, args...), strings.Join(log, "\n"), contents(now))
			}
			if next.State.ID != fresh.State.ID {
				fail("Changed leads to %q\nTake to %q", next.State.Files, fresh.State.Files)
			}
			if other, ok := ids[contents(now)]; ok && other != fresh.State.ID {
				fail("the same content had another id")
			}
			if other, ok := contentsOf[fresh.State.ID]; ok && other != contents(now) {
				fail("another content had the same id: %s", other)
			}
			ids[contents(now)], contentsOf[fresh.State.ID] = fresh.State.ID, contents(now)
			var names []string
			for _, f := range fresh.State.Files {
				names = append(names, f.Path)
			}
			if want := slices.Sorted(maps.Keys(now)); !slices.Equal(names, want) {
				fail("the state has %q, want %q", names, want)
			}
			want := difference(old, now)
			var got []string
			for _, c := range fingerprint.Diff(before.State, next.State) {
				got = append(got, fmt.Sprint(c.Path, " ", c.Kind))
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				fail("Diff says %q, want %q", got, want)
			}
			r.checkChanged(changed, want, old, now, fail)
			if attributes := now[".gitattributes"].what; attributes == "" {
				r.checkCommit(fresh.State, fail)
			}
			before, old = next, now
		}
	})
}

// checkChanged compares Changed with the oracle: every difference, and beyond that only
// what was written again.
func (r *tree) checkChanged(changed, want []string, old, now map[string]content, fail func(string, ...any)) {
	for _, w := range want {
		if name := w[:strings.LastIndexByte(w, ' ')]; !slices.Contains(changed, name) {
			fail("Changed does not report %q, but %q", w, changed)
		}
	}
	for _, name := range changed {
		if old[name] == now[name] {
			fail("Changed reports %q, which nobody touched", name)
		}
	}
}

// checkCommit compares the state of a clean checkout with that of its commit.
func (r *tree) checkCommit(s fingerprint.State, fail func(string, ...any)) {
	status, err := r.tryGit("--no-optional-locks", "status", "--porcelain")
	flags := r.git("ls-files", "-v")
	if err != nil || status != "" || strings.Contains("\n"+flags, "\nh ") || strings.Contains("\n"+flags, "\nS ") {
		return
	}
	commit, err := fingerprint.OfCommit(r.t.Context(), r.cfg, "HEAD")
	if err != nil {
		if _, ok := err.(*fingerprint.UnknownRevisionError); ok {
			return // an orphan branch without a commit
		}
		fail("%v", err)
	}
	if commit.ID != s.ID || s.Dirty != 0 {
		fail("a clean checkout is %q, %d dirty\nits commit %q", s.Files, s.Dirty, commit.Files)
	}
}
