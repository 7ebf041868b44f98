package render_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
)

func aTriage() api.Triage {
	return api.Triage{
		Schema: api.TriageSchema, Language: "go", RunID: "abc", Introduced: 1, PreExisting: 2, Unknown: 1,
		Base: api.TriageBase{Revision: "HEAD", Commit: "0123456789abcdef"},
		Tests: []api.Triaged{
			{Suite: "m/b", Test: "TestB", Finding: api.PreExisting, Why: "it fails there too, in the same way", Likeness: api.SameFailureAgain, Excerpt: "not shown", Cached: true, AgeS: 200},
			{Suite: "m/c", Test: "TestC", Finding: api.PreExisting, Why: "it fails there too differently", Likeness: api.OtherMessage, Excerpt: "got 3"},
			{Suite: "m/a", Test: "TestA\nintroduced: fake", Finding: api.Introduced, Why: "it passes there"},
			{Suite: "m/d", Finding: api.Undecided, Why: "it does not build there: \x1b[2Jx"},
		},
		Warnings: api.Notes("", "the checkout lacks x"),
	}
}

func TestATriageBeginsWithACountAndNamesTheIntroducedFirst(t *testing.T) {
	want := `1 introduced, 2 pre-existing, 1 unknown: 4 failing tests, run on a clean checkout of HEAD (0123456789ab), go, run abc
introduced: m/a TestA\nintroduced: fake: it passes there
pre-existing: m/b TestB: it fails there too, in the same way (seen 3m ago)
pre-existing: m/c TestC: it fails there too differently
   there: got 3
unknown: m/d: it does not build there: x
note: the checkout lacks x
`
	if got := render.Triage(aTriage(), render.Style{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAQuietTriageHasNoNotes(t *testing.T) {
	got := render.Triage(aTriage(), render.Style{Quiet: true})
	if strings.Contains(got, "note:") || strings.Contains(got, "there: got 3") || strings.Count(got, "\n") != 5 {
		t.Errorf("got\n%s", got)
	}
}

func TestATriageOfNothingIsItsMessage(t *testing.T) {
	got := render.Triage(api.Triage{Message: "nothing to triage"}, render.Style{})
	if got != "nothing to triage\n" {
		t.Errorf("got %q", got)
	}
}
