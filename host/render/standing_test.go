package render_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

func TestAFailuresLineSaysHowTheTestStands(t *testing.T) {
	for want, standing := range map[string]*api.Standing{
		"s T  a:3  bad thing":              nil,
		"s T  a:3  (recurring)  bad thing": {Recurring: true},
		"s T  a:3  (failing, recurring)  bad thing": {
			Classification: api.Failing, Recurring: true, Flaky: &api.Flaky{PassedRun: "a", FailedRun: "b"},
		},
	} {
		f := api.Failure{Standing: standing, Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "T"}, Location: sdk.Location{File: "a", Line: 3}, Message: "bad thing\nand more"}}
		if got := render.FailureLine(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestARunThatRanOutOfTimeIsNotARegression(t *testing.T) {
	f := api.Failure{Standing: &api.Standing{Classification: api.Regression}, Failure: sdk.Failure{Kind: "timeout", Message: "the time was up"}}
	run := api.Run{Verdict: api.Incomplete, Failures: []api.Failure{f}, FailuresTotal: 1}
	for _, text := range []string{render.Summary(run, render.Style{}), render.Listing(run, 0, render.Page{})} {
		if strings.Contains(text, "was passing") || !strings.Contains(text, "(the run)") {
			t.Error(text)
		}
	}
	run.Failures[0].Suite = "s"
	if text := render.Summary(run, render.Style{}); !strings.Contains(text, "was passing") {
		t.Error(text)
	}
}

func TestATriageSaysHowATestStands(t *testing.T) {
	answer := api.Triage{Language: "x", Unknown: 1, Tests: []api.Triaged{{
		Suite: "s", Test: "T", Finding: api.Undecided, Why: "it is flaky: so it was seen",
		Standing: &api.Standing{Classification: api.Regression, Recurring: true, Flaky: &api.Flaky{}},
	}}}
	const want = "1 unknown: 1 failing test, against , x\n" +
		"unknown: s T: it is flaky: so it was seen (regression, recurring)\n"
	if got := render.Triage(answer, render.Style{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestALongNameInANoteIsCut(t *testing.T) {
	long := sdk.TestID{Suite: "example.com/s", Test: "T/" + strings.Repeat("é", 3000) + "/the_end"}
	short := sdk.TestID{Suite: "s", Test: strings.Repeat("x", 98)}
	run := api.Run{Verdict: api.Passed, Integrity: &api.Integrity{Since: "aaaa", Vanished: []sdk.TestID{long, short}, VanishedTotal: 2}}
	note, _, _ := strings.Cut(render.Summary(run, render.Style{Quiet: true}), "\n")
	if n := utf8.RuneCountInString(note); n > 250 || !strings.Contains(note, "example.com/s T/é") || !strings.Contains(note, "é/the_end, s "+short.Test) {
		t.Errorf("%d characters: %s", n, note)
	}
}

func TestTheFailuresOfAGreenRunSayWhatVanished(t *testing.T) {
	run := api.Run{Verdict: api.Passed, Language: "x", Counts: api.Counts{Passed: 3}}
	run.Integrity = &api.Integrity{Since: "aaaa", Vanished: []sdk.TestID{{Suite: "s", Test: "T"}}, VanishedTotal: 1}
	if notes := render.FailureNotes(run); len(notes) != 1 || notes[0] != "note: 1 test vanished since run aaaa: s T" {
		t.Errorf("%q", notes)
	}
}

func TestAQuietPassStillSaysWhatWeakensIt(t *testing.T) {
	run := api.Run{Verdict: api.Passed, Warnings: []api.Note{
		{Code: api.NoteUnrecorded, Text: "shown but not recorded: no room"}, {Code: api.NoteNotTested, Text: "not tested: sub: another project"},
		{Code: api.NoteCompared, Text: "not compared with earlier runs: they differ"}, {Code: api.NoteOutput, Text: "of little importance"},
	}}
	quiet := render.Summary(run, render.Style{Quiet: true})
	if !strings.HasPrefix(quiet, "note: shown but not recorded: no room\nnote: not tested: sub: another project\npassed") {
		t.Errorf("quiet: %s", quiet)
	}
	if loud := render.Summary(run, render.Style{}); strings.Count(loud, "note: ") != 4 {
		t.Errorf("not quiet: %s", loud)
	}
}

func TestTheSameFailureWithoutAnEditSaysSo(t *testing.T) {
	s := api.Standing{Classification: api.Failing, SameFailure: &api.SameFailure{Run: 2}}
	if got := render.Standing(&s); !strings.HasSuffix(got, "2nd run, no file changed") {
		t.Error(got)
	}
}
