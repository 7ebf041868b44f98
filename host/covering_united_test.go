package host

import (
	"testing"

	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/record"
)

func TestTheTestsOfADifferenceAreCountedByWhatIsKnownOfThem(t *testing.T) {
	t.Parallel()
	executes := record.CoveringTest{Suite: "s", Test: "A", Granularity: record.GranularityTest}
	reads := record.CoveringTest{Suite: "s", Test: "R", Granularity: record.GranularityTest, Why: coverage.WhyRead}
	alsoReads := executes
	alsoReads.Why = coverage.WhyRead
	declared := record.CoveringTest{Suite: "s", Test: "D", Granularity: record.GranularityTest, Why: coverage.WhyDeclared}
	whole := record.CoveringTest{Suite: "w", Granularity: record.GranularitySuite}
	may := record.CoveringTest{Suite: "s", Test: "M", Granularity: record.GranularityImport, Why: "changed"}
	any := record.CoveringTest{Suite: "u", Granularity: record.GranularityImport, Why: "not measured"}
	ofAny := record.CoveringTest{Suite: "u", Test: "M", Granularity: record.GranularityImport, Why: "links"}
	for _, c := range []struct {
		name    string
		files   [][]record.CoveringTest
		message string
		total   int
	}{
		{"a reader executes nothing", [][]record.CoveringTest{{reads}}, "1 test reads what changed", 1},
		{"a reader of one file that executes another", [][]record.CoveringTest{{alsoReads}, {executes}}, "1 test executes what changed", 1},
		{"suites and tests apart", [][]record.CoveringTest{{may, any}}, "1 test may execute what changed; 1 suite may execute it", 2},
		{"a test of a suite that is listed as a whole", [][]record.CoveringTest{{any}, {ofAny}}, "1 suite may execute what changed", 1},
		{
			"everything", [][]record.CoveringTest{{executes, reads, declared, whole, may}},
			"1 test executes what changed; 1 test is declared in it; 1 test reads it; 1 suite executes it as a whole; 1 test may execute it", 5,
		},
		{"nothing", [][]record.CoveringTest{{}}, "no test executes what changed", 0},
	} {
		answer := record.CoveringDiff{Base: "HEAD", FilesTotal: len(c.files), Granularity: record.GranularityTest}
		for _, tests := range c.files {
			answer.Files = append(answer.Files, record.Covering{Granularity: record.GranularityTest, Tests: tests})
		}
		unite(&answer)
		files := ", in 1 changed file since HEAD"
		if len(c.files) == 2 {
			files = ", in 2 changed files since HEAD"
		}
		if answer.Message != c.message+files || answer.Total != c.total {
			t.Errorf("%s: %q, %d", c.name, answer.Message, answer.Total)
		}
	}
}
