package classify_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/sdk"
)

func TestASignatureHasACauseAndAPlace(t *testing.T) {
	// Databases hold the value: it must not change without a reason and a new
	// generation, the digit in the middle.
	if got, want := classify.Signature(api.Failure{Failure: sdk.Failure{Kind: "assertion", Message: "got 3, want 4", Location: sdk.Location{File: "a_test.go"}}}), "3cc194f2e125ffe0"+"3"+"2037777c"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

var panicked = api.Failure{ID: "1", Failure: sdk.Failure{TestID: sdk.TestID{Suite: "m/a", Test: "TestA"}, Kind: "panic", Location: sdk.Location{File: "a/a.go", Line: 10, Column: 2},
	Message: "runtime error: index out of range [3] with length 3",
	Stack:   []sdk.Frame{{Function: "m/a.get", Location: sdk.Location{File: "a/a.go", Line: 10}}, {Function: "m/a.TestA", Location: sdk.Location{File: "a/a_test.go", Line: 5}}},
}}

var asserted = api.Failure{ID: "2", Failure: sdk.Failure{TestID: sdk.TestID{Suite: "m/a", Test: "TestB/x"}, Kind: "assertion", Location: sdk.Location{File: "a/a_test.go", Line: 20}, Message: "got 3, want 4"}}

func TestTheSameFailureHasTheSameSignature(t *testing.T) {
	for name, change := range map[string]func(*api.Failure){
		"another run":   func(f *api.Failure) { f.ID = "9" },
		"moved lines":   func(f *api.Failure) { f.Line, f.Column = f.Line+7, 1; f.Stack = moved(f.Stack) },
		"another test":  func(f *api.Failure) { f.Test = "TestC" },
		"another suite": func(f *api.Failure) { f.Suite = "m/b" },
		"other output":  func(f *api.Failure) { f.Output, f.OutputTruncated = "something", true },
		"more messages": func(f *api.Failure) { f.Also = []sdk.Also{{Message: "and more"}} },
		"a command":     func(f *api.Failure) { f.Repro = "run it" },
		"attributes":    func(f *api.Failure) { f.Attributes = map[string]string{"gas": "7", "seed": "3"} },
		"other blanks":  func(f *api.Failure) { f.Message = " " + f.Message + "\r\n" },
		"outer frames":  func(f *api.Failure) { f.Stack = append(f.Stack[:min(len(f.Stack), 1)], sdk.Frame{}) },
		"foreign frames": func(f *api.Failure) {
			f.Stack = append([]sdk.Frame{{Function: "lib.f", Location: sdk.Location{File: "/lib/f.x"}}}, f.Stack...)
		},
		"Windows' frames": func(f *api.Failure) {
			f.Stack = append([]sdk.Frame{{Function: "lib.f", Location: sdk.Location{File: `C:\lib\f.x`}}}, f.Stack...)
		},
	} {
		for _, f := range []api.Failure{panicked, asserted} {
			g := f
			change(&g)
			if classify.Signature(f) != classify.Signature(g) {
				t.Errorf("%s: %s has another signature", name, f.Kind)
			}
		}
	}
}

func moved(stack []sdk.Frame) []sdk.Frame {
	var list []sdk.Frame
	for _, s := range stack {
		s.Line += 7
		list = append(list, s)
	}
	return list
}

func TestAnotherFailureHasAnotherSignature(t *testing.T) {
	for name, change := range map[string]func(*api.Failure){
		"kind":       func(f *api.Failure) { f.Kind = "fatal" },
		"message":    func(f *api.Failure) { f.Message = "got 3, want 5" },
		"value":      func(f *api.Failure) { f.Diff = sdk.Diff{Got: "another"} },
		"difference": func(f *api.Failure) { f.Diff = sdk.Diff{Text: "- A: 1\n+ A: 2"} },
		"place": func(f *api.Failure) {
			f.File = "b/b.go"
			f.Stack = append([]sdk.Frame{{Function: "m/b.get", Location: sdk.Location{File: "b/b.go"}}}, f.Stack...)
		},
	} {
		for _, f := range []api.Failure{panicked, asserted} {
			g := f
			change(&g)
			if classify.Signature(f) == classify.Signature(g) {
				t.Errorf("another %s: %s has the same signature", name, f.Kind)
			}
		}
	}
}

// Each run decides anew whether to locate a failure by running the test once more.
func TestALocatedPlaceDoesNotChangeTheSignature(t *testing.T) {
	declared := api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "t"}, Kind: "revert", Message: "too big", Location: sdk.Location{File: "test/A.t.x", Line: 7}, Precision: sdk.PrecisionDeclaration}}
	located := declared
	located.File, located.Line, located.Precision = "src/A.x", 99, sdk.PrecisionExact
	located.TestFrame = sdk.Location{File: "test/A.t.x", Line: 12}
	located.Stack = []sdk.Frame{{Function: "A.set", Location: sdk.Location{File: "src/A.x", Line: 99}}}
	if classify.Signature(declared) != classify.Signature(located) {
		t.Error("it is another signature")
	}
}

func TestTheSignatureOfAFailureWithoutAMessageIsItsTestsOwn(t *testing.T) {
	a := api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "a"}, Kind: "assertion", Location: sdk.Location{File: "a_test.x"}}}
	b := a
	b.Test = "b"
	if classify.Signature(a) == classify.Signature(b) {
		t.Error("two silent failures are taken for one cause")
	}
	a.Message, a.Attributes = "failed without a reason", map[string]string{sdk.TruncatedAttribute: sdk.NoMessage}
	b.Message, b.Attributes = a.Message, a.Attributes
	if classify.Signature(a) == classify.Signature(b) {
		t.Error("what a runner says instead of a message is taken for one cause")
	}
	again := a
	again.ID, again.Line = "9", 7
	if classify.Signature(a) != classify.Signature(again) {
		t.Error("it is not the same failure again")
	}
}

func TestNumbersOfARandomInputAreNotPartOfTheSignature(t *testing.T) {
	fuzzed := func(message, counterexample string) string {
		return classify.Signature(api.Failure{Failure: sdk.Failure{Kind: "assertion", Message: message, Attributes: map[string]string{"counterexample": counterexample}}})
	}
	if fuzzed("assertion failed: 20 != 0", "args=[20]") != fuzzed("assertion failed: 77 != 0", "args=[77]") {
		t.Error("another input is another failure")
	}
	if fuzzed("assertion failed: 20 != 0", "args=[20]") == fuzzed("assertion failed: 20 > 0", "args=[20]") {
		t.Error("another assertion is the same failure")
	}
	if fuzzed("assertion failed: 20 != 0", "") == fuzzed("assertion failed: 77 != 0", "") {
		t.Error("without a random input, numbers are what was compared")
	}
	sequence := api.Failure{Failure: sdk.Failure{Kind: "invariant", Message: "20 != 0", Attributes: map[string]string{"sequence": "a(20)"}}}
	other := api.Failure{Failure: sdk.Failure{Kind: "invariant", Message: "21 != 0", Attributes: map[string]string{"sequence": "a(21)"}}}
	if classify.Signature(sequence) != classify.Signature(other) {
		t.Error("another sequence is another failure")
	}
}

func TestCausesGroupFailuresInTheOrderOfTheirFirst(t *testing.T) {
	failure := func(id, message string) api.Failure {
		return api.Failure{ID: id, Failure: sdk.Failure{Kind: "panic", Message: message}}
	}
	causes := classify.Causes([]api.Failure{
		failure("1", "alone"), failure("2", "b"), failure("3", "a"), failure("4", "a"), failure("5", "b"), failure("6", "a"),
	}, map[string]int{})
	if len(causes) != 2 {
		t.Fatalf("%d causes: %+v", len(causes), causes)
	}
	for i, want := range [][]string{{"2", "5"}, {"3", "4", "6"}} {
		c := causes[i]
		if c.Total != len(want) || !classify.IsCurrent(c.Signature) || len(c.Failures) != len(want) || c.Failures[0] != want[0] || c.Failures[1] != want[1] {
			t.Errorf("cause %d is %+v, want %v", i, c, want)
		}
	}
	if got := classify.Causes(nil, nil); got != nil {
		t.Errorf("no failures have causes: %+v", got)
	}
}

// A signature was made where the failure happened. One that nobody here could have made, as of
// a file from elsewhere, does not count.
func TestASignatureStaysWithItsFailure(t *testing.T) {
	f := api.Failure{Failure: sdk.Failure{Kind: "assertion", Message: "open /w/a: no such file", Also: []sdk.Also{{Message: "open /w/b: no such file"}}}}
	bare, bareAlso := classify.Signature(f), classify.AlsoSignature(f)
	classify.Sign(&f, func(text string) string { return strings.ReplaceAll(text, "/w", "{workspace}") })
	signed, also := f.Signature, f.AlsoSignature
	if signed == bare || also == bareAlso {
		t.Error("the path of the workspace counts")
	}
	if classify.Signature(f) != signed || classify.AlsoSignature(f) != also {
		t.Error("it does not stay")
	}
	f.Signature, f.AlsoSignature = strings.Repeat("\x1b", 16)+signed[16:], strings.Repeat("<", 16)
	if classify.Signature(f) != bare || classify.AlsoSignature(f) != bareAlso {
		t.Error("what is no signature is taken for one")
	}
	if f.Also = nil; classify.AlsoSignature(f) != "" {
		t.Error("nothing besides has a signature")
	}
}
