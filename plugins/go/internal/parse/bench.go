package parse

import (
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// endBenchmarks ends the benchmarks that are running according to the events:
// one that passes has a result line and no event. Their parents have neither.
func (e *suiteEnder) endBenchmarks(s *suite) {
	crashed := s.dump.crash() != nil
	var ended []*test
	for _, t := range s.live() {
		if !strings.HasPrefix(t.name, "Benchmark") {
			continue
		}
		if s.completed && (s.end.action == testjson.ActionPass || !crashed) || hasResult(t) {
			ended = append(ended, t)
		}
	}
	for _, t := range ended {
		s.drop(t)
		e.counts.add(sdk.Passed)
		e.sink.Test(e.result(s, t, sdk.Passed))
		e.settler.forget(t)
	}
}

// hasResult reports whether a benchmark printed its result:
// "BenchmarkA-2     \t       5\t       100.4 ns/op".
func hasResult(t *test) bool {
	for _, l := range t.text.lines() {
		rest, found := strings.CutPrefix(l.text, t.name)
		if found && strings.HasSuffix(strings.TrimRight(rest, " "), "/op") || found && strings.Contains(rest, " ns/op") {
			return true
		}
	}
	return false
}
