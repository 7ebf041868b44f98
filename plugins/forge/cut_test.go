package forge_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// cutsPerCase cuts are spread evenly over a document, and lastBytes are cut one by
	// one. In the whole suite and with PROCTOR_FUZZ there are more.
	cutsPerCase = 12
	lastBytes   = 12
)

// passedBefore is the document of an earlier command in the same file: without any pass
// nothing is green.
const passedBefore = `{"test/Before.t.sol:Before":{"duration":"1ms","test_results":{"testBefore()":{"status":"Success"}},"warnings":[]}}` + "\n"

// A recording may end anywhere, and its exit status is unknown.
func TestNoCutOfARedRecordingIsGreen(t *testing.T) {
	spread, last := cutsPerCase, lastBytes
	switch {
	case os.Getenv("PROCTOR_FUZZ") != "":
		spread, last = 400, 400
	case needs.IsWhole():
		spread, last = 2*cutsPerCase, 2*lastBytes
	}
	cuts, closed := 0, 0
	for _, c := range loadCorpus(t) {
		t.Run(c.Name, func(t *testing.T) {
			f := toFeeding(t, c)
			if len(f.stdout) > 1<<20 || isGreenReport(feedParser(t, f)) || c.Meta.ExitCode == 0 {
				return
			}
			all := f.stdout
			f.exit, f.stderr = sdk.Exit{Unknown: true}, nil
			var at []int
			for i := range spread {
				at = append(at, len(all)*i/spread)
			}
			for i := range min(last, len(all)) {
				at = append(at, len(all)-i)
			}
			for i, b := range all {
				if b == '\n' && len(at) < 2*(spread+last) {
					at = append(at, i+1)
				}
			}
			slices.Sort(at)
			for _, n := range slices.Compact(at) {
				f.stdout = all[:n]
				cuts++
				if holdsWholeDocuments(f.stdout) {
					closed++
					continue
				}
				if isGreenReport(feedParser(t, f)) {
					t.Errorf("cut after %d of %d bytes it is green: …%q", n, len(all), f.stdout[max(0, n-80):])
				}
				line := f.stdout[bytes.LastIndexByte(f.stdout, '\n')+1:]
				if f.stdout = slices.Concat([]byte(passedBefore), f.stdout); len(line) > 0 && isGreenReport(feedParser(t, f)) {
					t.Errorf("cut after %d of %d bytes, after a document that passed, the run is green: …%q", n, len(all), all[max(0, n-80):n])
				}
			}
		})
	}
	t.Logf("%d cuts, %d of them with whole documents and nothing red", cuts, closed)
}

// holdsWholeDocuments reports whether a stream ends with a complete document without
// failures: a missing further document then goes unnoticed.
func holdsWholeDocuments(stream []byte) bool {
	lines := bytes.Split(stream, []byte("\n"))
	last := len(lines) - 2
	return last >= 0 && len(lines[last+1]) == 0 && len(lines[last]) > 0 && lines[last][0] == '{' && json.Valid(lines[last]) && !bytes.Contains(stream, []byte(`"Failure"`))
}

// isGreenReport reports whether a report without an exit status is a pass:
// docs/verdicts.md.
func isGreenReport(o *observed) bool {
	passed := slices.ContainsFunc(o.Tests, func(r sdk.TestResult) bool { return r.Status == sdk.Passed && !r.Fixture })
	red := len(o.Failures)+len(o.RunErrors) > 0 || o.Damaged > 0 ||
		slices.ContainsFunc(o.Tests, func(r sdk.TestResult) bool { return r.Status == sdk.Failed || r.Status == sdk.Unfinished }) ||
		slices.ContainsFunc(o.Suites, func(s sdk.SuiteResult) bool { return s.Outcome != sdk.SuitePassed && s.Outcome != sdk.SuiteNoTests })
	return passed && !red
}
