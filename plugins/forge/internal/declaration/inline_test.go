package declaration_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
)

func TestSettingsInCommentsAreFound(t *testing.T) {
	root := copyProject(t, keepAll)
	forgetest.Write(t, root, "test/Inline.t.sol", "/// forge-config: default.fuzz.runs = 7\r\ncontract Inline {\n  /* forge-config:x */ function test_a() public {}\n}\n")
	forgetest.Write(t, root, "lib/other/Inline.sol", "/// forge-config: default.fuzz.runs = 7\n")
	f := newFinder(root)
	if got := f.Inline(t.Context()); got != nil {
		t.Errorf("before a listing: %q", got)
	}
	listMarks(t, f)
	want := map[string][]string{"test/Inline.t.sol": {" default.fuzz.runs = 7", "x */ function test_a() public {}"}}
	if diff := cmp.Diff(want, f.Inline(t.Context())); diff != "" {
		t.Error(diff)
	}
}
