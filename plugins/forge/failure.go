package forge

import (
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// The kinds of failure that are specific to the language.
const (
	kindRevert    = "revert"
	kindInvariant = "invariant"
	kindRemoved   = "removed" // a kind of test that forge no longer runs
)

// maxLogExcerpt bounds the log in a failure; users request the rest by test.
const maxLogExcerpt = 64 << 10

// failure returns what is known about a failed test, except for the place.
func (p *parser) failure(id sdk.TestID, t *testjson.Test, attributes map[string]string) sdk.Failure {
	logs := makeVisible(t.Logs.String())
	f := sdk.Failure{TestID: id, Attributes: attributes, Output: clip(logs, maxLogExcerpt), Repro: p.reproduce(id, t)}
	f.OutputTruncated = t.Logs.Omitted > 0 || len(logs) > maxLogExcerpt
	f.Kind, f.Message = explainFailure(t)
	if !t.HasReason || t.Reason == "execution error" {
		found, more := loggedAssertions(logs)
		if found.message != "" {
			f.Kind, f.Message, f.Diff = sdk.KindAssertion, found.message, found.diff
		}
		for _, m := range more {
			f.Also = append(f.Also, sdk.Also{Message: m.text()})
		}
	} else {
		var head string
		if head, f.Diff = parseComparison(t.Reason); isLostInMessage(f.Diff) {
			f.Message = strings.TrimSpace(makeVisible(head))
		}
	}
	own, others := brokenInvariants(t)
	switch {
	case t.HasReason:
	case own != nil && own.Reason != "":
		f.Message = strings.TrimSpace(makeVisible(own.Reason))
	case len(others) > 0:
		f.Message = "failed with another invariant of its contract: " + describeBroken(others[0])
		others = others[1:]
	}
	for _, b := range others {
		f.Also = append(f.Also, sdk.Also{Message: describeBroken(b)})
	}
	if t.Kind.Name == "Invariant" && f.Kind != kindRemoved {
		f.Kind = kindInvariant
	}
	f.Attributes = withWhatIsMissing(f, !t.HasReason && t.Logs.Omitted > 0)
	return f
}

// withWhatIsMissing returns the attributes of a failure, with what its text lacks.
func withWhatIsMissing(f sdk.Failure, cut bool) map[string]string {
	missing := ""
	switch {
	case slices.Contains(withoutMessage, f.Message) && f.Diff.IsZero():
		missing = sdk.NoMessage
	case cut, len(f.Also) >= maxLogged-1:
		missing = "[also]"
	default:
		return f.Attributes
	}
	all := maps.Clone(f.Attributes)
	all[sdk.TruncatedAttribute] = missing
	return all
}

// What is said of a failure for which there is no reason, or an empty one.
const (
	noReason    = "failed without a reason"
	emptyReason = "reverted with an empty reason"
)

// withoutMessage are the messages of failures for which a test gave none.
var withoutMessage = []string{noReason, emptyReason, "EvmError: Revert", "assertion failed", "Assertion Failed"}

// explainFailure derives the kind and the message from the reason.
func explainFailure(t *testjson.Test) (kind, message string) {
	reason := strings.TrimSpace(makeVisible(t.Reason))
	switch {
	case !t.HasReason:
		return sdk.KindAssertion, noReason
	case reason == "":
		return kindRevert, emptyReason
	case isRemoved(t):
		return kindRemoved, reason
	case strings.HasPrefix(reason, "failed to set up ") && strings.Contains(reason, "No contracts to fuzz"):
		return kindInvariant, reason
	case strings.HasPrefix(reason, "panic: "):
		return sdk.KindPanic, reason
	case isAssertion(reason):
		return sdk.KindAssertion, reason
	}
	return kindRevert, reason
}

// brokenInvariants separates the invariant that a test is named for from others that
// its campaign broke: forge then fails them all.
func brokenInvariants(t *testjson.Test) (own *testjson.Broken, others []testjson.Broken) {
	name, _, _ := strings.Cut(t.Name, "(")
	for i := range t.Broken {
		switch b := &t.Broken[i]; {
		case b.Name == name:
			own = b
		case b.Name+b.Reason != "":
			others = append(others, *b)
		}
	}
	return own, others
}

// describeBroken describes a broken invariant.
func describeBroken(b testjson.Broken) string {
	name, reason := makeVisible(b.Name), strings.TrimSpace(makeVisible(b.Reason))
	if name == "" || reason == "" {
		return name + reason
	}
	return name + ": " + reason
}

// isRemoved reports whether forge no longer supports a test's kind: it always fails,
// and keeps the others of its contract from running.
func isRemoved(t *testjson.Test) bool {
	return t.Status == testjson.Failure && strings.HasPrefix(t.Name, "testFail") && strings.Contains(t.Reason, "`testFail*` has been removed")
}

// expectations are the reasons of failed cheat code expectations.
var expectations = []string{
	"next call did not revert as expected", "call did not revert as expected", "Error != expected error",
	"log mismatch", "log != expected log", "expected an emit", "expected call to ", "Expected call to ", "expected emit",
	"expected create", "expected to revert",
}

// isAssertion reports whether a reason comes from a check in the test, as far as the
// text shows.
func isAssertion(reason string) bool {
	if strings.HasPrefix(reason, "assertion failed") || strings.HasPrefix(reason, "Assertion failed") {
		return true
	}
	for _, text := range expectations {
		if strings.HasPrefix(reason, text) {
			return true
		}
	}
	_, sides := parseComparison(reason)
	return !sides.IsZero() || isRelation(reason)
}

// relations are what comparisons print between two values; " != " is parsed for its sides.
var relations = []string{" == ", " >= ", " <= ", " > ", " < ", " !~= "}

// isRelation reports whether a reason is what another comparison prints behind the test's
// message, as "above: 6 > 5" and "near: 10 !~= 20 (max delta: 3, real delta: 10)".
func isRelation(reason string) bool {
	reason, _, _ = strings.Cut(reason, " (max delta: ")
	_, values, _ := cutLast(reason, ": ")
	return slices.ContainsFunc(relations, func(relation string) bool {
		left, right, found := strings.Cut(values, relation)
		return found && isValue(left) && isValue(right)
	})
}

// parseComparison parses the two sides of "assertion failed: 1 != 2", "balances differ: 1 !=
// 2", "Error != expected error: this != that" and "log mismatch at param 0: expected=1, got=2".
// head is what precedes them.
func parseComparison(reason string) (head string, d sdk.Diff) {
	head, values, ok := cutLast(reason, ": ")
	if strings.HasPrefix(head, "log mismatch ") {
		want, got, _ := strings.Cut(strings.TrimPrefix(values, "expected="), ", got=")
		return head, sdk.Diff{Got: makeVisible(got), Want: makeVisible(want)}
	}
	texts := false // whether the values may be texts, in which all of this may occur
	for _, forges := range []string{"assertion failed", "Error != expected error"} {
		if rest, found := strings.CutPrefix(reason, forges+": "); found {
			head, values, texts = forges, rest, true
		}
	}
	got, want, compared := strings.Cut(values, " != ")
	if !ok || !compared || strings.Contains(want, " != ") || strings.HasPrefix(head, "log ") || !texts && (!isValue(got) || !isValue(want)) {
		return reason, sdk.Diff{}
	}
	return head, sdk.Diff{Got: makeVisible(got), Want: makeVisible(want)}
}

// longestInMessage is the longest compared value that is read in a message: 32 bytes in
// hexadecimal digits fit.
const longestInMessage = 100

// isLostInMessage reports whether a message does not show how the two sides differ: one is long, or
// only blanks do.
func isLostInMessage(d sdk.Diff) bool {
	return max(len(d.Got), len(d.Want)) > longestInMessage || strings.Contains(d.Got+d.Want, "\n") ||
		d.Got != "" && d.Got != d.Want && slices.Equal(strings.Fields(d.Got), strings.Fields(d.Want))
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// isValue reports whether s is what an assertion prints for a number, an address, bytes
// or a boolean.
func isValue(s string) bool {
	return s == "true" || s == "false" || s != "" && strings.ContainsAny(s[:1], "-[0123456789") && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("0123456789abcdefxABCDEF.,-[] ", r)
	})
}
