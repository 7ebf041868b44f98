package declaration

import (
	"encoding/hex"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
)

func TestADispatcherIsReadInTheFormsThatTheCompilerWrites(t *testing.T) {
	for name, c := range map[string]struct {
		code string
		want int
	}{
		"plain":                            {"80 63 0a9254e4 14 60 0b 57 00 5b", 11},
		"with the selector first":          {"63 0a9254e4 81 14 60 0b 57 00 5b", 11},
		"without a copy":                   {"63 0a9254e4 14 60 0a 57 00 5b", 10},
		"a far entry":                      {"63 0a9254e4 14 61 000b 57 00 5b", 11},
		"not a place to jump to":           {"63 0a9254e4 14 60 08 57 00 5b", -1},
		"behind the code":                  {"63 0a9254e4 14 60 ff 57 00 5b", -1},
		"a comparison for the search":      {"63 0a9254e4 11 60 0a 57 00 5b", -1},
		"within the data of another":       {"69 63 0a9254e4 14 60 0a 57 5b 5b", -1},
		"cut in the selector":              {"63 0a92", -1},
		"cut behind the selector":          {"63 0a9254e4", -1},
		"cut behind the comparison":        {"63 0a9254e4 14", -1},
		"cut in the entry":                 {"63 0a9254e4 14 61 00", -1},
		"the first of two entries":         {"63 0a9254e4 14 60 12 57 63 0a9254e4 14 60 13 57 5b 5b", 18},
		"entries wider than any code":      {"63 0a9254e4 14 63 0000000c 57 5b", -1},
		"a push of nothing for the entry":  {"63 0a9254e4 14 5f 57 5b", -1},
		"a jump that asks for no decision": {"63 0a9254e4 14 60 0a 56 00 5b", -1},
	} {
		t.Run(name, func(t *testing.T) {
			code, err := hex.DecodeString(strings.ReplaceAll(c.code, " ", ""))
			if err != nil {
				t.Fatal(err)
			}
			got, ok := readDispatcher(code)[[4]byte{0x0a, 0x92, 0x54, 0xe4}]
			if !ok {
				got = -1
			}
			if got != c.want {
				t.Errorf("entry %d, want %d in %v", got, c.want, readDispatcher(code))
			}
		})
	}
	if code, err := hex.DecodeString("6192541460085700" + "5b"); err != nil || readDispatcher(code)[[4]byte{0, 0, 0x92, 0x54}] != 8 {
		t.Errorf("a selector with leading zeros: %v, %v", readDispatcher(code), err)
	}
}

// The optimizer merges equal bodies, and empty ones with any code that stops. Those are
// found by scanning the sources.
func TestArtifactsAloneLeadToAllThatTheOptimizerHasNotMerged(t *testing.T) {
	root, err := filepath.Abs("testdata/project")
	if err != nil {
		t.Fatal(err)
	}
	f := NewFinder(Config{Artifacts: artifact.Config{Root: root, Out: "compiled", CachePath: "index"}})
	s, err := f.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for suite, want := range map[string][]string{
		"test/Inherits.t.sol:Inherits": {"IS_TEST()", "setUp()", "test_inherited()", "test_ofAnAbstractContract(uint8)", "test_overridden()"},
		"test/b/Thing.t.sol:Thing":     {"test_same()"},
		"test/Over.t.sol:Over":         nil,
	} {
		got := slices.Sorted(maps.Keys(s.compiledDeclarations(t.Context(), suite)))
		if want == nil {
			for _, signature := range []string{"testGetter()", "test_map(uint256,address)", "test_over((int256,uint8[2]),uint8,uint64)", "test_over(address,address[],function)"} {
				if !slices.Contains(got, signature) {
					t.Errorf("%s of %s is not found: %v", signature, suite, got)
				}
			}
			equal := slices.DeleteFunc(slices.Clone(got), func(s string) bool { return !strings.HasPrefix(s, "test_equal") })
			if len(equal) != 1 {
				t.Errorf("%d of three equal tests are found", len(equal))
			}
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n%s", suite, diff)
		}
	}
}
