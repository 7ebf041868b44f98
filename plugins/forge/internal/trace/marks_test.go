package trace

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// mark is a comment in the test project that names tests to be located at its line:
// "origin:NAME" is where the failure of NAME arose, and "frame:NAME" the line within
// the test, which is also the origin if that has no mark. NAME is a test, with its
// parameters or its contract if the bare name would be ambiguous.
var mark = regexp.MustCompile(`\b(origin|frame):(?:(\w+)\.)?(\w+)(\([\w,]*\))?`)

// want is where a test must be located.
type want struct{ origin, frame sdk.Location }

// marks are the expected places in a project.
type marks map[string]*want

func readMarks(t testing.TB, root string) marks {
	t.Helper()
	found := marks{}
	for _, dir := range []string{"src", "test"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			for i, line := range strings.Split(string(text), "\n") {
				for _, m := range mark.FindAllStringSubmatch(line, -1) {
					key := m[2] + "." + m[3] + m[4]
					if found[key] == nil {
						found[key] = &want{}
					}
					at := sdk.Location{File: filepath.ToSlash(name), Line: i + 1}
					if m[1] == "origin" {
						found[key].origin = at
					} else {
						found[key].frame = at
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range found {
		if w.origin == (sdk.Location{}) {
			w.origin = w.frame
		}
		if w.frame == w.origin {
			w.frame = sdk.Location{}
		}
	}
	return found
}

// of returns the expectation for a test, or nil if it must not be located.
func (m marks) of(id sdk.TestID) *want {
	_, contract := splitKey(id.Suite)
	bare, _, _ := strings.Cut(id.Test, "(")
	for _, key := range []string{contract + "." + id.Test, contract + "." + bare, "." + id.Test, "." + bare} {
		if w := m[key]; w != nil {
			return w
		}
	}
	return nil
}

// check compares the places of the failed tests with the marks, and returns how many
// were located.
func (m marks) check(t *testing.T, failed []sdk.TestID, got map[sdk.TestID]sdk.Failure) int {
	t.Helper()
	for _, id := range failed {
		f, located := got[id]
		w := m.of(id)
		switch {
		case w == nil && located:
			t.Errorf("%v was located at %v, but has no mark", id, f.Location)
		case w == nil:
		case !located:
			t.Errorf("%v was not located; it failed at %v", id, w.origin)
		default:
			if at := lineOnly(f.Location); at != w.origin {
				t.Errorf("%v was located at %v; it failed at %v", id, at, w.origin)
			}
			if at := lineOnly(f.TestFrame); at != w.frame {
				t.Errorf("%v was at %v in the test; it was at %v", id, at, w.frame)
			}
			if f.Precision != sdk.PrecisionExact || len(f.Stack) == 0 || f.Stack[0].Location != f.Location {
				t.Errorf("%v: %+v", id, f)
			}
		}
	}
	for id := range maps.Keys(got) {
		if !slices.Contains(failed, id) {
			t.Errorf("%v was located and did not fail", id)
		}
	}
	return len(got)
}

func lineOnly(l sdk.Location) sdk.Location {
	l.Column = 0
	return l
}
