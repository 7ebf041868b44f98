package engine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestATestIsLostOnlyIfNothingBesideItsFileHasIt(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a/here_test.x": "test Here", "moved/new_test.x": "test Moved", "linked/x_test.x": "nothing", "left/other_test.x": "test Other",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		testfiles.Write(t, path, text)
	}
	links := os.Symlink("x_test.x", filepath.Join(root, "linked", "y_test.x")) == nil
	near := newNeighbors(root)
	for _, tc := range []struct {
		file, test string
		want       bool
	}{
		{"a/here_test.x", "Here", false},
		{"a/gone_test.x", "Gone", true},
		{"a/gone_test.x", "Gone(uint256)", true},
		{"nosuch/gone_test.x", "Gone", true},
		{"moved/old_test.x", "Moved", false},
		{"moved/old_test.x", "Moved()", false},
		{"left/old_test.x", "Gone", true},
		{"linked/old_test.x", "Gone", !links},
		{"", "Gone", false},
		{"../gone_test.x", "Gone", false},
		{"a/gone_test.x", "()", false},
	} {
		if got := near.hasLost(tc.file, tc.test); got != tc.want {
			t.Errorf("%s %s: lost %v, want %v", tc.file, tc.test, got, tc.want)
		}
	}
}

// Two contracts, say, have a test of the same name each, and one of them is removed.
func TestAFileHidesNoTestOfTheNameThatIsListedForIt(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"listed_test.x": "test Same", "tagged_test.x": "test Tagged"} {
		testfiles.Write(t, filepath.Join(root, name), text)
	}
	near := newNeighbors(root)
	for _, test := range []string{"Same()", "Tagged()"} {
		if !near.mayBeDeclared("gone_test.x", test) {
			t.Errorf("%s is gone, although a file has it that is not listed for it", test)
		}
	}
	near.listed["listed_test.x Same"] = true
	for test, want := range map[string]bool{"Same()": false, "Tagged()": true} {
		if got := near.mayBeDeclared("gone_test.x", test); got != want {
			t.Errorf("%s may be declared: %v", test, got)
		}
	}
}
