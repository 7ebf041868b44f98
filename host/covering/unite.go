package covering

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
)

// isKnownBetter reports whether the first of two entries for a test is more precise, or
// as precise but an execution where the other only read something.
func isKnownBetter(a, b api.CoveringTest) bool {
	if a.Granularity != b.Granularity {
		return rankExactness(a.Granularity) < rankExactness(b.Granularity)
	}
	return a.Granularity == api.GranularityTest && a.Link == "" && b.Link != ""
}

// withoutParts drops the tests that may execute something where any test of their suite
// may.
func withoutParts(tests []api.CoveringTest) []api.CoveringTest {
	type suite struct{ language, name string }
	whole := map[suite]bool{}
	for _, t := range tests {
		if t.Test == "" && t.Granularity == api.GranularityImport {
			whole[suite{t.Language, t.Suite}] = true
		}
	}
	return slices.DeleteFunc(tests, func(t api.CoveringTest) bool {
		return t.Test != "" && t.Granularity == api.GranularityImport && whole[suite{t.Language, t.Suite}]
	})
}

// summarize says how many tests execute what changed, read it, or may execute it.
func summarize(answer api.CoveringDiff) string {
	var executing, declared, reading, wholes, mayTests, maySuites int
	for _, t := range answer.Tests {
		switch {
		case t.Granularity == api.GranularitySuite:
			wholes++
		case t.Granularity == api.GranularityImport && t.Test == "":
			maySuites++
		case t.Granularity == api.GranularityImport:
			mayTests++
		case t.Link == api.LinkReads:
			reading++
		case t.Link == api.LinkDeclared:
			declared++
		default:
			executing++
		}
	}
	var words []string
	place := "what changed"
	say := func(n int, noun, one, many, how string) {
		if n == 0 {
			return
		}
		verb := many
		if n == 1 {
			verb = one
		}
		words = append(words, fmt.Sprintf("%s %s %s%s", api.Plural(n, noun), verb, place, how))
		place = "it"
	}
	say(executing, "test", "executes", "execute", "")
	say(declared, "test", "is declared in", "are declared in", "")
	say(reading, "test", "reads", "read", "")
	say(wholes, "suite", "executes", "execute", " as a whole")
	say(mayTests, "test", "may execute", "may execute", "")
	say(maySuites, "suite", "may execute", "may execute", "")
	switch {
	case len(words) > 0:
	case answer.Granularity == api.GranularityUnknown:
		words = []string{"it is unknown which tests execute what changed"}
	default:
		words = []string{"no test executes what changed"}
	}
	return fmt.Sprintf("%s, in %s since %s", strings.Join(words, "; "), api.Plural(answer.FilesTotal, "changed file"), answer.Base)
}
