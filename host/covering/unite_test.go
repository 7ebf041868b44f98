package covering

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

func TestTheTestsOfADifferenceAreCountedByWhatIsKnownOfThem(t *testing.T) {
	t.Parallel()
	executes := api.CoveringTest{Suite: "s", Test: "A", Granularity: api.GranularityTest}
	reads := api.CoveringTest{Suite: "s", Test: "R", Granularity: api.GranularityTest, Link: api.LinkReads}
	alsoReads := executes
	alsoReads.Link = api.LinkReads
	declared := api.CoveringTest{Suite: "s", Test: "D", Granularity: api.GranularityTest, Link: api.LinkDeclared}
	whole := api.CoveringTest{Suite: "w", Granularity: api.GranularitySuite}
	may := api.CoveringTest{Suite: "s", Test: "M", Granularity: api.GranularityImport, Why: "changed"}
	any := api.CoveringTest{Suite: "u", Granularity: api.GranularityImport, Why: "not measured"}
	ofAny := api.CoveringTest{Suite: "u", Test: "M", Granularity: api.GranularityImport, Why: "links"}
	for _, c := range []struct {
		name    string
		files   [][]api.CoveringTest
		message string
		total   int
	}{
		{"a reader executes nothing", [][]api.CoveringTest{{reads}}, "1 test reads what changed", 1},
		{"a reader of one file that executes another", [][]api.CoveringTest{{alsoReads}, {executes}}, "1 test executes what changed", 1},
		{"suites and tests apart", [][]api.CoveringTest{{may, any}}, "1 test may execute what changed; 1 suite may execute it", 2},
		{"a test of a suite that is listed as a whole", [][]api.CoveringTest{{any}, {ofAny}}, "1 suite may execute what changed", 1},
		{
			"everything", [][]api.CoveringTest{{executes, reads, declared, whole, may}},
			"1 test executes what changed; 1 test is declared in it; 1 test reads it; 1 suite executes it as a whole; 1 test may execute it", 5,
		},
		{"nothing", [][]api.CoveringTest{{}}, "no test executes what changed", 0},
	} {
		answer := api.CoveringDiff{Base: "HEAD", FilesTotal: len(c.files), Granularity: api.GranularityTest}
		for _, tests := range c.files {
			answer.Files = append(answer.Files, api.Covering{Granularity: api.GranularityTest, Tests: tests})
		}
		uniteTests(&answer)
		files := ", in 1 changed file since HEAD"
		if len(c.files) == 2 {
			files = ", in 2 changed files since HEAD"
		}
		if answer.Message != c.message+files || answer.Total != c.total {
			t.Errorf("%s: %q, %d", c.name, answer.Message, answer.Total)
		}
	}
}
