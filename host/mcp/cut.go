package mcp

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

// How many bytes of a failure an answer holds. All of it is on record: get_test_output
// has the test's output.
const (
	cutMessageBytes = 2 << 10
	cutDiffBytes    = 2 << 10 // of each of its three parts
	cutDetailBytes  = 512     // of each attribute and further message
	cutNameBytes    = 1 << 10
	cutListedBytes  = 256 // of each name in a list
	cutWordBytes    = 64  // of a kind, or the name of an attribute
	// cutDetails bounds attributes and further messages, cutTestNames the names in a
	// list.
	cutDetails   = 8
	cutTestNames = 20
)

// cutFailure returns a failure in the form of an answer: its identity, its place and
// its message, each bounded and without what deceives a reader. It omits the test's
// output and how to run it, for which there are tools.
func cutFailure(f api.Failure) api.Failure {
	f.ID, f.Suite, f.Test, f.Kind = cutName(f.ID), cutName(f.Suite), cutName(f.Test), cutText(f.Kind, cutWordBytes, prose.Line)
	f.File, f.TestFrame.File = cutName(f.File), cutName(f.TestFrame.File)
	f.Message = cutText(f.Message, cutMessageBytes, prose.Plain)
	f.Diff = sdk.Diff{
		Got: cutText(f.Diff.Got, cutDiffBytes, prose.Plain), Want: cutText(f.Diff.Want, cutDiffBytes, prose.Plain), Text: cutText(f.Diff.Text, cutDiffBytes, prose.Plain),
	}
	also := render.FoldAlso(f)
	f.Also = nil
	for _, a := range also[:min(len(also), cutDetails)] {
		a.File, a.Message = cutListed(a.File), cutText(a.Message, cutDetailBytes, prose.Plain)
		f.Also = append(f.Also, a)
	}
	if left := len(also) - len(f.Also); left > 0 {
		f.Also = append(f.Also, sdk.Also{Message: moreOf(left)})
	}
	blocks := f.Blocks
	f.Blocks = nil
	for _, name := range blocks[:min(len(blocks), cutTestNames)] {
		f.Blocks = append(f.Blocks, cutListed(name))
	}
	if left := len(blocks) - len(f.Blocks); left > 0 {
		f.Blocks = append(f.Blocks, moreOf(left))
	}
	f.Attributes, f.Standing = cutAttributes(f.Attributes), cutStanding(f.Standing)
	f.Output, f.OutputTruncated, f.Stack, f.DerivedFrom, f.Repro, f.Signature = "", false, nil, nil, "", ""
	return f
}

// moreOf ends a list that omits this many entries.
func moreOf(left int) string { return fmt.Sprintf("… [%d more]", left) }

// cutStanding returns what the record knows of a test, if that is more than this
// session's failures: every test of a first session has nothing else. It omits source
// states that no tool accepts.
func cutStanding(s *api.Standing) *api.Standing {
	if s == nil {
		return nil
	}
	cut := plainStanding(*s)
	if s.Classification != api.Gap || s.LastPassed != nil || s.Flaky != nil || s.Otherwise != nil || s.Formerly != nil {
		return &cut
	}
	if s.FailedRuns < 2 {
		return nil
	}
	return &api.Standing{
		FailedSessions: s.FailedSessions, FailedRuns: s.FailedRuns, FailedRunsAtLeast: s.FailedRunsAtLeast,
		SameFailure: cut.SameFailure, SimilarFailure: cut.SimilarFailure,
	}
}

// plainStanding returns a standing without the names of states and causes, which only
// proctor can compare.
func plainStanding(s api.Standing) api.Standing {
	if s.LastPassed != nil {
		last := *s.LastPassed
		last.Fingerprint, last.AgeS = "", cutSeconds(last.AgeS)
		s.LastPassed = &last
	}
	if s.Otherwise != nil {
		other := *s.Otherwise
		other.RunnerArgs = cutTexts(other.RunnerArgs)
		s.Otherwise = &other
	}
	for _, f := range []**api.SameFailure{&s.SameFailure, &s.SimilarFailure} {
		if *f != nil {
			same := **f
			same.Signature = ""
			*f = &same
		}
	}
	if s.Flaky != nil {
		flaky := *s.Flaky
		flaky.Fingerprint = ""
		s.Flaky = &flaky
	}
	return s
}

// cutState shortens the name of a source state: what a text shows of it suffices to
// tell whether two are the same.
func cutState(name string) string { return upToRune(prose.Line(name), 12) }

// cutSeconds rounds an age or a duration for a reader.
func cutSeconds(s float64) float64 { return math.Round(s*1000) / 1000 }

// cutAttributes returns language-specific details, without those of the protocol.
func cutAttributes(attributes map[string]string) map[string]string {
	var cut map[string]string
	for _, key := range slices.Sorted(maps.Keys(attributes)) {
		if strings.HasPrefix(key, "proctor.") || len(cut) == cutDetails {
			continue
		}
		if cut == nil {
			cut = map[string]string{}
		}
		cut[cutText(key, cutWordBytes, prose.Line)] = cutText(attributes[key], cutDetailBytes, prose.Plain)
	}
	return cut
}

// cutTests returns the first of some tests, with names of bounded length. A count in
// the same object has the total.
func cutTests(tests []api.Test) []api.Test { return limit(tests[:min(len(tests), cutTestNames)]) }

// cutName returns a name on one line, truncated if long.
func cutName(name string) string { return cutText(name, cutNameBytes, prose.Line) }

// cutListed returns the name of one of many things.
func cutListed(name string) string { return cutText(name, cutListedBytes, prose.Line) }

// cutText is so many bytes of a text at the most, made harmless by plain, and a
// mark that says how long it is where that is not all.
func cutText(text string, most int, plain func(string) string) string {
	// To clean fifty megabytes, of which two thousand bytes are shown, takes a while.
	looked := upToRune(text, 4*most)
	clean := plain(looked)
	if len(looked) == len(text) && len(clean) <= most {
		return clean
	}
	return upToRune(clean, most) + fmt.Sprintf("… [cut: %d bytes in all]", len(text))
}

// upToRune is the beginning of a text, so many bytes long or a little less where
// that would cut a character in two.
func upToRune(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := max(most, 0)
	for end > 0 && end > most-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
