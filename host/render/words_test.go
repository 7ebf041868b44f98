package render

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

func TestAnAnswerSpeaksTheLanguageOfWhatItIsAbout(t *testing.T) {
	t.Parallel()
	nouns := map[string]string{"go": "package", "solidity": "contract"}
	unbuilt := api.Counts{BuildFailed: 2}
	absent := &api.Absence{Reason: api.NotBuilt, RunID: "r1"}
	for name, answer := range map[string]func(language string, style Style) string{
		"runs": func(language string, style Style) string {
			return Runs(api.Runs{Total: 1, Runs: []api.RunLine{{RunID: "r1", Language: language, Verdict: api.BuildFailed, Counts: unbuilt}}}, style)
		},
		"diff": func(language string, style Style) string {
			return Diff(api.RunDiff{
				Language: language, Before: api.DiffedRun{Counts: unbuilt}, Now: api.DiffedRun{Counts: unbuilt},
				Notes: api.Notes(api.NotePartly, "run r1 did not build 2 of its suites: their tests did not run"), Message: "tests, subtests and suites: 2 newly failing",
			}, style)
		},
		"why": func(language string, style Style) string {
			return Why(api.Why{Language: language, Suite: "a", Test: "b", Absence: absent}, style)
		},
		"triage": func(language string, style Style) string {
			return Triage(api.Triage{Language: language, Introduced: 1, Tests: []api.Triaged{{Suite: "a", Finding: api.Introduced, Why: "its suite does not build there"}}}, style)
		},
		"covering": func(language string, style Style) string {
			return Covering(api.Covering{
				Message: "1 suite may execute a.go:1, by import only", Total: 1,
				Tests: []api.CoveringTest{{Language: language, Suite: "a", Why: "its suite is built from the file"}},
			}, style)
		},
		"covering a change": func(language string, style Style) string {
			return CoveringDiff(api.CoveringDiff{
				Message: "1 suite may execute what was changed", Total: 1,
				Tests: []api.CoveringTest{{Language: language, Suite: "a", Why: "its suite is built from the file"}},
			}, style)
		},
		"outstanding": func(language string, style Style) string {
			return Outstanding(api.Outstanding{Total: 1, Counts: api.OutstandingCounts{Suites: 1}, Tests: []api.OutstandingTest{{Language: language, Suite: "a", Reason: "suite"}}}, style)
		},
		"the end of a run": func(language string, style Style) string {
			return Ending(api.Run{Language: language, Verdict: api.Incomplete, Reason: "1 suite did not finish; 2 suites ended early"}, nil, style.Speaking(language))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for language, noun := range nouns {
				for _, columns := range []int{0, 100} {
					text := answer(language, Style{Nouns: nouns, Columns: columns})
					said := strings.Contains(text, noun)
					if name == "runs" && columns > 0 {
						said = true // there it only says how many are not built
					}
					if strings.Contains(text, "suite") || !said {
						t.Errorf("%s in %d columns: %q", language, columns, text)
					}
				}
			}
			if text := answer("go", Style{Nouns: map[string]string{}}); strings.Contains(text, "package") || !strings.Contains(text, "suite") {
				t.Errorf("nothing is known of the language: %q", text)
			}
		})
	}
	if style := (Style{Nouns: nouns}).Speaking(); style.Noun != "" {
		t.Errorf("two languages speak as one: %q", style.Noun)
	}
	if style := (Style{Nouns: map[string]string{"go": "package", "starlark": "package"}}).Speaking(); style.Noun != "package" {
		t.Errorf("two languages with one word: %q", style.Noun)
	}
}
