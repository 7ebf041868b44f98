package forge_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// No output makes a parser panic, depend on chunking, call a failed test passed, or
// show unprintable text.
func FuzzTheParserIsTotal(f *testing.F) {
	f.Add(resultDocument("test/A.t.sol:A", "t()", `"status":"Failure","reason":"x\u0000\u202e","decoded_logs":["Error: a == b not satisfied [uint]","      Left: 1"]`), "Warning: w\n", 3)
	f.Add(resultDocument("a:A", "t(uint256)", `"status":"Failure","counterexample":{"Sequence":[1,[{"sender":"\u001b"}]]},"kind":{"Invariant":{"metrics":{"f":{}}}}`)+`{"a:A":{"test_results":{"t()":{"status":"Fa`, "Error: Compiler run failed:\nError (1): x\n --> a:1:2:\n", 1)
	f.Add("Compiler run failed:\nError (1): x\n --> a:1:2:\nNo tests found\n{\"x\":1}\n\"test_results\"\n", "Replayed invariant failure from \"a/b\" file\n", 7)
	f.Add(`{"a:A":{"test_results":{"setUp()":{"status":"Skipped","reason":"skipped: \ud83d"},"t()":null}}}`, "", 2)
	f.Fuzz(func(t *testing.T, stdout, stderr string, size int) {
		in := feeding{stdout: []byte(stdout), stderr: []byte(stderr), exit: sdk.Exit{Code: 1}}
		whole := feedParser(t, in)
		in.chunk = 1 + size&63
		pieces := feedParser(t, in)
		for _, got := range []*observed{whole, pieces} {
			checkTexts(t, got)
			slices.Sort(got.Notes) // the streams are interleaved differently
		}
		if !reflect.DeepEqual(whole, pieces) {
			t.Fatalf("read otherwise in pieces:\n%+v\n%+v", whole, pieces)
		}
		failed := map[sdk.TestID]bool{}
		for _, f := range whole.Failures {
			failed[f.TestID] = true
		}
		for _, r := range whole.Tests {
			if failed[r.TestID] != (r.Status == sdk.Failed) {
				t.Fatalf("%v is %s and has a failure: %v", r.TestID, r.Status, failed[r.TestID])
			}
		}
	})
}
