package classify_test

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
)

// A run with other arguments on the same sources is itself the difference: a pass
// without -race does not fix a race, and a race is not a regression.
func TestAnotherSettingOnTheSameSourcesFixesAndBreaksNothing(t *testing.T) {
	run := func(results, env, state string) did {
		return did{session: "a", results: results, env: env, state: state}
	}
	for name, tc := range map[string]struct {
		runs  []did
		class api.Classification
		other string
	}{
		"failed with it, passes without":             {[]did{run("F", "race", "1"), run("P", "e", "1")}, api.Gap, "run01"},
		"passed without, fails with it":              {[]did{run("P", "e", "1"), run("F", "race", "1")}, api.Gap, "run01"},
		"and passed before":                          {[]did{run("P", "e", "0"), run("F", "race", "1"), run("P", "e", "1")}, api.Gap, "run02"},
		"an edit in between":                         {[]did{run("F", "race", "1"), run("P", "e", "2")}, api.Fixed, ""},
		"it passes on, after an edit":                {[]did{run("F", "race", "1"), run("P", "e", "1"), run("P", "e", "2")}, api.Gap, "run01"},
		"it fails on, after an edit":                 {[]did{run("P", "e", "1"), run("F", "race", "1"), run("F", "race", "2")}, api.Gap, "run01"},
		"passes with it since":                       {[]did{run("F", "race", "1"), run("P", "e", "1"), run("P", "race", "2"), run("P", "e", "2")}, api.Gap, ""},
		"mended in both":                             {[]did{run("F", "e", "1"), run("F", "race", "1"), run("P", "e", "2")}, api.Fixed, ""},
		"the sources changed meanwhile":              {[]did{{session: "a", results: "F", env: "race", state: "1", mixed: true}, run("P", "e", "1")}, api.Fixed, ""},
		"ends both ways without, so nothing is told": {[]did{run("F", "race", "1"), run("F", "e", "1"), run("P", "e", "1")}, api.Unsteady, ""},
	} {
		got := classify.Test(classify.Subject{Timeline: timeline("T", tc.runs...), SessionID: "a"})
		other := ""
		if got.Otherwise != nil {
			other = got.Otherwise.RunID
		}
		if got.Classification != tc.class || other != tc.other {
			t.Errorf("%s: %s, otherwise %q; want %s, %q", name, got.Classification, other, tc.class, tc.other)
		}
	}
}

func TestSettingsAreToldApartInLaterSessionsToo(t *testing.T) {
	race := did{session: "a", results: "F", env: "race", state: "1"}
	plain := did{session: "b", results: "P", env: "e", state: "1"}
	got := classify.Test(classify.Subject{Timeline: timeline("T", race, plain), SessionID: "b"})
	if got.Classification != api.Steady || got.Resolution != api.StatusPassed || got.Otherwise == nil || !got.Otherwise.Failed {
		t.Errorf("%+v", got)
	}
}
