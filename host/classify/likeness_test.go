package classify_test

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/sdk"
)

func traceAt(file, kind, message string) classify.Trace {
	return classify.TraceOf(api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "T"}, Kind: kind, Location: sdk.Location{File: file}, Message: message}}, message)
}

func TestTheLikenessOfTwoFailuresComesFromTheRecord(t *testing.T) {
	refused := traceAt("a.x", "assertion", "dial unix @e7f7f: connect: connection refused")
	value := traceAt("a.x", "assertion", "got 3, want 4")
	silent := traceAt("a.x", "exit", "")
	// earlier is a trace as earlier versions left it: without a place.
	earlier := func(tr classify.Trace, signature string) classify.Trace {
		tr.Signature = signature
		return tr
	}
	for name, c := range map[string]struct {
		a, b classify.Trace
		want api.Likeness
	}{
		"another identifier":        {refused, traceAt("a.x", "assertion", "dial unix @00530: connect: connection refused"), api.SameFailureAgain},
		"another value":             {value, traceAt("a.x", "assertion", "got 5, want 4"), api.SimilarFailure},
		"another name":              {traceAt("a.x", "assertion", "undefined: Foo"), traceAt("a.x", "assertion", "undefined: Bar"), api.OtherMessage},
		"an identifier of letters":  {traceAt("a.x", "assertion", "lost the session qwkzjx of bob"), traceAt("a.x", "assertion", "lost the session hjvbnq of bob"), api.SimilarFailure},
		"another quoted value":      {traceAt("a.x", "assertion", `got "a b c", want ""`), traceAt("a.x", "assertion", `got "d e", want ""`), api.SimilarFailure},
		"nothing but numbers":       {traceAt("a.x", "assertion", "3 != 4"), traceAt("a.x", "assertion", "5 != 4"), api.SimilarFailure},
		"other signs":               {traceAt("a.x", "assertion", "3 != 4"), traceAt("a.x", "assertion", "3 < 4"), api.OtherMessage},
		"the opposite":              {traceAt("a.x", "assertion", "Should be true"), traceAt("a.x", "assertion", "Should be false"), api.OtherMessage},
		"another place":             {value, traceAt("b.x", "assertion", "got 3, want 4"), api.OtherPlace},
		"another kind":              {value, traceAt("a.x", "panic", "got 3, want 4"), api.OtherKind},
		"another message":           {value, refused, api.OtherMessage},
		"not known":                 {value, classify.Trace{Kind: "assertion", Excerpt: "got 3, want 4"}, api.LikenessUnknown},
		"earlier, equal":            {earlier(value, "0123456789abcdef"), earlier(value, "0123456789abcdef"), api.SameFailureAgain},
		"earlier, the same text":    {value, earlier(value, "0123456789abcdef"), api.SimilarFailure},
		"earlier, another id":       {refused, earlier(traceAt("a.x", "assertion", "dial unix @550cb: connect: connection refused"), "0123456789abcdef"), api.SimilarFailure},
		"earlier, another text":     {value, earlier(refused, "0123456789abcdef"), api.OtherMessage},
		"earlier, no text":          {silent, earlier(silent, "0123456789abcdef"), api.LikenessUnknown},
		"both earlier, another one": {earlier(value, "0123456789abcdef"), earlier(traceAt("a.x", "assertion", "got 5, want 4"), "fedcba9876543210"), api.SimilarFailure},
	} {
		if got := classify.Compare(c.a, c.b); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if got := classify.Compare(c.b, c.a); got != c.want {
			t.Errorf("%s, the other way round: %q, want %q", name, got, c.want)
		}
	}
}
