package plugin

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

func TestWhatNarrowsARunIsNamedInShortDistinctLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", sdk.MaxText)
	got := boundPlan(sdk.Plan{NarrowedBy: []string{"match_test = \"A\"", long + "1", long + "2", "a\x1b[2J\nb", "", "\n"}}).NarrowedBy
	seen := map[string]bool{}
	for i, s := range got {
		if len(s) > maxSetting || strings.ContainsAny(s, "\x1b\n") || strings.TrimSpace(s) == "" {
			t.Errorf("%d: %q", i, s)
		}
		seen[s] = true
	}
	if len(got) != 6 || len(seen) != 5 || got[0] != "match_test = \"A\"" {
		t.Errorf("%q", got)
	}
	many := func(n int) []string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprint("setting number ", i))
		}
		return boundSettings(all)
	}
	if a, b := many(500), many(501); len(a) != maxSettings || a[0] != "setting number 0" || strings.Join(a, "") == strings.Join(b, "") {
		t.Errorf("%q", a)
	}
	if got := many(maxSettings); len(got) != maxSettings || got[maxSettings-1] != "setting number 19" {
		t.Errorf("%q", got)
	}
}
