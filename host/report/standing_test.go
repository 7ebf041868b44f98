package report_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
)

func TestAFailuresLineSaysHowTheTestStands(t *testing.T) {
	for want, standing := range map[string]*record.Standing{
		"s T  a:3  bad thing":              nil,
		"s T  a:3  (gap)  bad thing":       {Classification: record.Gap},
		"s T  a:3  (recurring)  bad thing": {Recurring: true},
		"s T  a:3  (failing, recurring)  bad thing": {
			Classification: record.Failing, Recurring: true, Flaky: &record.Flaky{PassedRun: "a", FailedRun: "b"},
		},
	} {
		f := record.Failure{Suite: "s", Test: "T", File: "a", Line: 3, Message: "bad thing\nand more", Standing: standing}
		if got := report.FailureLine(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestARunThatRanOutOfTimeIsNoRegression(t *testing.T) {
	f := record.Failure{Kind: "timeout", Message: "the time was up", Standing: &record.Standing{Classification: record.Regression}}
	run := record.Run{Verdict: record.Incomplete, Failures: []record.Failure{f}, FailuresTotal: 1}
	for _, text := range []string{report.Summary(run, report.Style{}), report.Failures(run, 0)} {
		if strings.Contains(text, "was passing") || !strings.Contains(text, "(the run)") {
			t.Error(text)
		}
	}
	run.Failures[0].Suite = "s"
	if text := report.Summary(run, report.Style{}); !strings.Contains(text, "was passing") {
		t.Error(text)
	}
}

func TestATriageSaysHowATestStands(t *testing.T) {
	answer := record.Triage{Language: "x", Tests: []record.Triaged{{
		Suite: "s", Test: "T", Finding: record.Undecided, Why: "it is flaky: so it was seen",
		Standing: &record.Standing{Classification: record.Regression, Recurring: true, Flaky: &record.Flaky{}},
	}}}
	const want = "0 introduced, 0 pre-existing, 0 unknown: 1 failing test on a clean checkout of , x\n" +
		"unknown: s T: it is flaky: so it was seen (regression, recurring)\n"
	if got := report.Triage(answer, report.Style{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestALongNameInANoteIsCut(t *testing.T) {
	long := record.Test{Suite: "example.com/s", Test: "T/" + strings.Repeat("é", 3000) + "/the_end"}
	short := record.Test{Suite: "s", Test: strings.Repeat("x", 98)}
	run := record.Run{Verdict: record.Passed, Integrity: &record.Integrity{Since: "aaaa", Vanished: []record.Test{long, short}, VanishedTotal: 2}}
	note, _, _ := strings.Cut(report.Summary(run, report.Style{Quiet: true}), "\n")
	if n := utf8.RuneCountInString(note); n > 250 || !strings.Contains(note, "example.com/s T/é") || !strings.Contains(note, "é/the_end, s "+short.Test) {
		t.Errorf("%d characters: %s", n, note)
	}
}

func TestTheFailuresOfAGreenRunSayWhatVanished(t *testing.T) {
	run := record.Run{Verdict: record.Passed, Language: "x", Counts: record.Counts{Passed: 3}}
	run.Integrity = &record.Integrity{Since: "aaaa", Vanished: []record.Test{{Suite: "s", Test: "T"}}, VanishedTotal: 1}
	want := "last run_tests had no failures (3 tests passed, x, 0s ago)\nnote: 1 test vanished since run aaaa: s T\n"
	if got := report.Failures(run, 0); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestAQuietPassStillSaysWhatMakesLessOfIt(t *testing.T) {
	run := record.Run{Verdict: record.Passed, Warnings: []string{
		"shown but not recorded: no room", "not tested: sub: another project", "not compared with earlier runs: they differ", "of little importance",
	}}
	quiet := report.Summary(run, report.Style{Quiet: true})
	if !strings.HasPrefix(quiet, "note: shown but not recorded: no room\nnote: not tested: sub: another project\npassed") {
		t.Errorf("quiet: %s", quiet)
	}
	if loud := report.Summary(run, report.Style{}); strings.Count(loud, "note: ") != 4 {
		t.Errorf("not quiet: %s", loud)
	}
}
