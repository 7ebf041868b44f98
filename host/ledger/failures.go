package ledger

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/outstanding"
)

// SetCauses sets the signatures of a run's failures and the causes they share. totals
// counts failures by signature, as the object may carry only some; it may be nil.
func SetCauses(run *api.Run, totals map[string]int) {
	for i := range run.Failures {
		run.Failures[i].Signature = classify.Signature(run.Failures[i])
	}
	run.Causes = classify.Causes(run.Failures, totals)
}

// renewCauses recomputes the signatures of causes that an earlier proctor recorded, as
// far as the run's object carries their failures.
func renewCauses(run *api.Run) {
	if !slices.ContainsFunc(run.Causes, func(c api.Cause) bool { return !classify.IsCurrent(c.Signature) }) {
		return
	}
	names := make(map[string]string, len(run.Failures))
	for _, f := range run.Failures {
		names[f.ID] = classify.Signature(f)
	}
	for i, c := range run.Causes {
		for _, id := range c.Failures {
			if name, ok := names[id]; ok && !classify.IsCurrent(c.Signature) {
				run.Causes[i].Signature = name
				break
			}
		}
	}
}

// TotalsOf returns the number of failures by cause.
func TotalsOf(causes []api.Cause) map[string]int {
	totals := make(map[string]int, len(causes))
	for _, c := range causes {
		totals[c.Signature] += c.Total
	}
	return totals
}

// FailureRank orders kinds of failures by their reach: 0 keeps tests from running at
// all, 1 ends other tests or makes them unreliable, 2 concerns one test alone.
func FailureRank(kind string) int {
	switch kind {
	case "build", "vet", "setup":
		return 0
	case "panic", "fatal", "exit", "signal", "timeout", "race":
		return 1
	}
	return 2
}

// SortFailures sorts failures by suite, stably: suites run in parallel, and two equal
// runs should read the same.
func SortFailures(failures []api.Failure) {
	slices.SortStableFunc(failures, func(a, b api.Failure) int { return strings.Compare(a.Suite, b.Suite) })
}

// RootOf returns the listed test of an entry.
func RootOf(e outstanding.Entry) string {
	if e.Root != "" {
		return e.Root
	}
	return e.Test
}

// HasWord reports whether a line contains a word.
func HasWord(line, word string) bool {
	for at := 0; ; {
		i := strings.Index(line[at:], word)
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(line[:at])
		after, _ := utf8.DecodeRuneInString(line[at+len(word):])
		if !isOfName(before) && !isOfName(after) {
			return true
		}
		at += len(word)
	}
}

// PlainTestName returns a test's name without the parameters that some languages
// append.
func PlainTestName(test string) string {
	if end := strings.IndexFunc(test, func(r rune) bool { return !isOfName(r) }); end >= 0 {
		return test[:end]
	}
	return test
}

func isOfName(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
