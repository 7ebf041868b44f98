package conform

import (
	"maps"
	"slices"

	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

// checkReport checks all messages of a report together: what one event says about another
// must be in the report.
func (f *form) checkReport(answers []*pb.ParseTestFailuresResponse) {
	suites, failed, tests := map[string]bool{}, map[string]bool{}, map[string]bool{}
	holds := map[[2]string]bool{} // suites and roots that contain something unfinished
	for _, m := range answers {
		for _, suite := range m.GetSuites() {
			suites[suite.GetSuite()] = true
		}
		for _, t := range m.GetTests() {
			tests[t.GetId().GetSuite()] = tests[t.GetId().GetSuite()] || !t.GetContainer() && t.GetStatus() == pb.Status_STATUS_PASSED
			if bad := t.GetStatus() == pb.Status_STATUS_FAILED || t.GetStatus() == pb.Status_STATUS_UNFINISHED; bad && !t.GetDerived() {
				failed[t.GetId().GetSuite()] = true
			}
			if t.GetStatus() == pb.Status_STATUS_UNFINISHED && t.GetRoot() != "" {
				holds[[2]string{t.GetId().GetSuite(), t.GetRoot()}] = true
			}
		}
		for _, failure := range m.GetFailures() {
			failed[failure.GetId().GetSuite()] = true
		}
	}
	for _, suite := range slices.Sorted(maps.Keys(tests)) {
		if !suites[suite] {
			f.fail("report the end of each suite in which a test had a result", "suite %.100q has results and no end", suite)
		}
	}
	for _, m := range answers {
		for _, failure := range m.GetFailures() {
			if i := slices.IndexFunc(failure.GetBlocks(), func(s string) bool { return !suites[s] }); i >= 0 {
				f.fail("report a suite that could not run with SUITE_OUTCOME_BUILD_FAILED, or nobody will rerun it",
					"a failure of %.100q blocks the suite %.100q, which is not reported itself", failure.GetId().GetSuite(), failure.GetBlocks()[i])
			}
		}
		for _, t := range m.GetTests() {
			if t.GetContainer() && t.GetStatus() == pb.Status_STATUS_PASSED && !tests[t.GetId().GetSuite()] {
				f.fail("a block that only groups tests is not a test: report it as skipped or not at all if nothing inside passed",
					"test %.100q passed as a container, but no test of suite %.100q did", t.GetId().GetName(), t.GetId().GetSuite())
			}
			if t.GetEnded() && (!t.GetDerived() || holds[[2]string{t.GetId().GetSuite(), t.GetId().GetName()}]) {
				f.fail("set ended only on a derived test in which every test had its turn and ended",
					"test %.100q of suite %.100q is marked as ended, but is not derived or contains an unfinished test", t.GetId().GetName(), t.GetId().GetSuite())
			}
			if t.GetDerived() && t.GetStatus() == pb.Status_STATUS_FAILED && !failed[t.GetId().GetSuite()] {
				f.fail("set derived only if a test inside failed and is itself reported",
					"test %.100q failed because of another, but no other test of suite %.100q failed", t.GetId().GetName(), t.GetId().GetSuite())
			}
		}
	}
}
