package forge_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/proctorhq/proctor/plugins/forge"
	"github.com/proctorhq/proctor/sdk"
)

// resultDocument returns a document of one suite with one test with the given fields.
func resultDocument(suite, test, fields string) string {
	return fmt.Sprintf("{%q:{\"duration\":\"1ms\",\"test_results\":{%q:{%s}},\"warnings\":[]}}\n", suite, test, fields)
}

// parseFailure feeds one failed test and returns its failure.
func parseFailure(t *testing.T, fields string) sdk.Failure {
	t.Helper()
	got := feedParser(t, feeding{stdout: []byte(resultDocument("test/A.t.sol:A", "t()", `"status":"Failure",`+fields)), exit: sdk.Exit{Code: 1}})
	if len(got.Failures) != 1 {
		t.Fatalf("%s: %d failures", fields, len(got.Failures))
	}
	return got.Failures[0]
}

func TestTheReasonDeterminesKindAndMessage(t *testing.T) {
	for reason, want := range map[string][2]string{
		`"want 2"`:                               {"revert", "want 2"},
		`"EvmError: Revert"`:                     {"revert", "EvmError: Revert"},
		`""`:                                     {"revert", "reverted with an empty reason"},
		`null`:                                   {"assertion", "failed without a reason"},
		`"panic: assertion failed (0x01)"`:       {"panic", "panic: assertion failed (0x01)"},
		`"assertion failed: 1 != 2"`:             {"assertion", "assertion failed: 1 != 2"},
		`"balances differ: 1 != 2"`:              {"assertion", "balances differ: 1 != 2"},
		`"next call did not revert as expected"`: {"assertion", "next call did not revert as expected"},
		`"InsufficientBalance(0x7FA9, 1, 100)"`:  {"revert", "InsufficientBalance(0x7FA9, 1, 100)"},
		`"custom error 0xdeadbeef: \u0000\u001b\n\u202e"`: {"revert", `custom error 0xdeadbeef: \x00\x1b` + "\n" + `\u202e`},
	} {
		if f := parseFailure(t, `"reason":`+reason); f.Kind != want[0] || f.Message != want[1] {
			t.Errorf("%s: %q %q, want %q", reason, f.Kind, f.Message, want)
		}
	}
	f := parseFailure(t, `"reason":"x<3","kind":{"Invariant":{"runs":4,"calls":40,"reverts":0}}`)
	if f.Kind != "invariant" || f.Message != "x<3" || f.Attributes["invariant"] != "runs=4 calls=40 reverts=0" {
		t.Errorf("got %+v", f)
	}
}

func TestAComparisonIsSplitIntoItsSides(t *testing.T) {
	for reason, want := range map[string]sdk.Diff{
		"assertion failed: 1 != 2":                         {Got: "1", Want: "2"},
		"balances differ: 1 != 2":                          {Got: "1", Want: "2"},
		"assertion failed: left != right":                  {Got: "left", Want: "right"},
		"assertion failed":                                 {},
		"user text: one != two":                            {},
		"Error != expected error: a: 1 != b":               {Got: "a: 1", Want: "b"},
		"Error != expected error: a != b != c":             {},
		"log != expected log: 1 != 2":                      {},
		"log mismatch at param 0: expected=0x01, got=0x02": {Got: "0x02", Want: "0x01"},
		"log mismatch":                                     {},
		"assertion failed: [1, 2] != [1, 3]":               {Got: "[1, 2]", Want: "[1, 3]"},
		"first line\nsecond: 1 != 2":                       {Got: "1", Want: "2"},
		"first line\nsecond: 1 != x":                       {},
		"assertion failed: a: 1 != b":                      {Got: "a: 1", Want: "b"},
		"assertion failed: a\nb\n != a\nc\n":               {Got: "a\nb\n", Want: "a\nc\n"},
	} {
		if f := parseFailure(t, fmt.Sprintf(`"reason":%q`, reason)); f.Diff != want {
			t.Errorf("%q: %+v, want %+v", reason, f.Diff, want)
		}
	}
}

func TestAFailureSaysThatItsTestGaveNoMessage(t *testing.T) {
	many := strings.Repeat(`,"Error: x","Error: a == b not satisfied [uint]","      Left: 1","     Right: 2"`, 20)
	for fields, want := range map[string]string{
		`"reason":null`:               sdk.NoMessage,
		`"reason":""`:                 sdk.NoMessage,
		`"reason":"EvmError: Revert"`: sdk.NoMessage,
		`"reason":"assertion failed"`: sdk.NoMessage,
		`"reason":null,"decoded_logs":["Error: Assertion Failed"]`: sdk.NoMessage,
		`"reason":null,"decoded_logs":["-"` + many + `]`:           "[also]",
		`"reason":"assertion failed: 1 != 2"`:                      "",
		`"reason":"assertion failed: a\nb != a\nc"`:                "",
		`"reason":"EvmError: OutOfGas"`:                            "",
		`"reason":"x"`:                                             "",
	} {
		if f := parseFailure(t, fields); f.Attributes[sdk.TruncatedAttribute] != want {
			t.Errorf("%s: %v, want %q", fields, f.Attributes, want)
		}
	}
}

func TestAMessageLeavesToTheSidesHowTheyDifferIfItDoesNotShowIt(t *testing.T) {
	long := strings.Repeat("0", 101)
	for reason, want := range map[string]string{
		"assertion failed: a\nb != a\nc":                       "assertion failed",
		"assertion failed: a != a ":                            "assertion failed",
		"sums: 0x" + long + " != 0x00":                         "sums",
		"Error != expected error: Poor(" + long + ") != Bad()": "Error != expected error",
		"assertion failed: 0x" + long[:64] + " != 0x00":        "assertion failed: 0x" + long[:64] + " != 0x00",
		"user: " + long + " != text":                           "user: " + long + " != text",
	} {
		if f := parseFailure(t, fmt.Sprintf(`"reason":%q`, reason)); f.Message != want {
			t.Errorf("%q: %q, want %q", reason, f.Message, want)
		}
	}
}

func TestAnAssertionThatOnlyLogsIsFoundInTheLog(t *testing.T) {
	f := parseFailure(t, `"reason":null,"decoded_logs":["before","Error: supply","Error: a == b not satisfied [uint]","      Left: 1","     Right: 2","between","Error: Assertion Failed"]`)
	want := sdk.Failure{
		TestID: sdk.TestID{Suite: "test/A.t.sol:A", Test: "t()"}, Kind: "assertion",
		Message: "supply: a == b not satisfied [uint]", Diff: sdk.Diff{Got: "1", Want: "2"}, Also: []sdk.Also{{Message: "Assertion Failed"}},
		Output: f.Output, Attributes: map[string]string{}, Repro: f.Repro,
	}
	if !reflect.DeepEqual(f, want) || !strings.HasPrefix(f.Output, "before\nError: supply\n") {
		t.Errorf("\n got %+v\nwant %+v", f, want)
	}
	if f := parseFailure(t, `"reason":null,"decoded_logs":["Error: a == b not satisfied [uint]","  Expected: 2","    Actual: 1"]`); f.Diff != (sdk.Diff{Got: "1", Want: "2"}) {
		t.Errorf("old names: %+v", f.Diff)
	}
}

func TestTheWorstResultOfATestCounts(t *testing.T) {
	ok, bad := `"status":"Success","kind":{"Unit":{"gas":1}}`, `"status":"Failure","reason":"x"`
	for _, order := range [][]string{{ok, bad}, {bad, ok}, {bad, `"status":"Skipped"`}, {`"status":"Odd"`, bad}} {
		out := ""
		for _, fields := range order {
			out += resultDocument("test/A.t.sol:A", "t()", fields)
		}
		got := feedParser(t, feeding{stdout: []byte(out)})
		if len(got.Tests) != 1 || got.Tests[0].Status != sdk.Failed || len(got.Failures) != 1 || got.Suites[0].Outcome != sdk.SuiteFailed {
			t.Errorf("%v: %+v", order, got)
		}
	}
	for _, order := range [][]string{{ok, `"status":"Skipped"`}, {`"status":"Skipped"`, ok}} {
		got := feedParser(t, feeding{stdout: []byte(resultDocument("test/A.t.sol:A", "t()", order[0]) + resultDocument("test/A.t.sol:A", "t()", order[1]))})
		if len(got.Tests) != 1 || got.Tests[0].Status != sdk.Skipped || len(got.Tests[0].Measures) > 0 {
			t.Errorf("%v: %+v", order, got.Tests)
		}
	}
	got := feedParser(t, feeding{stdout: []byte(`{"a:A":{"test_results":{"t()":{` + bad + `},"t()":{` + ok + `}}},"a:A":{"test_results":{"t()":{` + ok + `}}}}` + "\n")})
	if len(got.Tests) != 1 || got.Tests[0].Status != sdk.Failed {
		t.Errorf("within a document: %+v", got)
	}
}

func TestSuitesOfSeveralDocumentsAreMerged(t *testing.T) {
	out := resultDocument("test/A.t.sol:A", "t()", `"status":"Success"`) + "log line\n" + resultDocument("test/A.t.sol:A", "u()", `"status":"Skipped","reason":"later"`)
	got := feedParser(t, feeding{stdout: []byte(out)})
	if len(got.Suites) != 1 || got.Suites[0].Outcome != sdk.SuitePassed || got.Suites[0].Elapsed != 2e6 || len(got.Tests) != 2 || got.Foreign != 9 || got.Damaged != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestAnUnknownStatusIsNoPass(t *testing.T) {
	got := feedParser(t, feeding{stdout: []byte(resultDocument("test/A.t.sol:A", "t()", `"status":"Vacuous"`))})
	if got.Tests[0].Status != sdk.Unfinished || got.Suites[0].Outcome != sdk.SuiteUnfinished || got.Damaged == 0 || len(got.Notes) != 1 || got.DamagedSample != `"t()": "Vacuous"` {
		t.Errorf("got %+v", got)
	}
}

func TestAFailedFixtureAbortsItsSuite(t *testing.T) {
	for _, name := range []string{"setUp()", "constructor()"} {
		got := feedParser(t, feeding{stdout: []byte(resultDocument("test/A.t.sol:A", name, `"status":"Failure","reason":"nope","kind":{"Unit":{"gas":0}}`))})
		if r := got.Tests[0]; !r.Fixture || r.Status != sdk.Failed || got.Suites[0].Outcome != sdk.SuiteAborted || got.Failures[0].Message != "nope" {
			t.Errorf("got %+v", got)
		}
	}
	got := feedParser(t, feeding{stdout: []byte(resultDocument("test/A.t.sol:A", "setUp()", `"status":"Skipped","reason":"skipped: later"`))})
	if r := got.Tests[0]; !r.Fixture || r.Status != sdk.Skipped || got.Suites[0].Outcome != sdk.SuitePassed || r.Attributes["reason"] != "skipped: later" {
		t.Errorf("got %+v", got)
	}
}

func TestARemovedTestSaysWhatItHides(t *testing.T) {
	got := feedParser(t, feeding{stdout: []byte(resultDocument("test/A.t.sol:A", "testFail_a()", "\"status\":\"Failure\",\"reason\":\"`testFail*` has been removed. Consider changing\""))})
	if got.Suites[0].Outcome != sdk.SuiteAborted || len(got.Failures) != 1 || len(got.Failures[0].Repro.Argv) > 0 || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "kept the other tests") {
		t.Errorf("got %+v", got)
	}
	fields := "\"status\":\"Failure\",\"reason\":\"`testFail*` has been removed. Consider changing\""
	got = feedParser(t, feeding{stdout: []byte(resultDocument("test/A.t.sol:A", "testFail_a()", fields) + resultDocument("test/B.t.sol:B", "testFail_b()", fields))})
	if len(got.Notes) != 2 || !strings.Contains(got.Notes[1], "2 functions in 2 contracts") || !strings.Contains(got.Notes[1], "--no-match-test") {
		t.Errorf("two contracts: %q", got.Notes)
	}
}

func TestGasIsMeasuredByKind(t *testing.T) {
	run := sdk.RunInfo{Command: sdk.Command{Argv: []string{"forge", "test", "--json", "--fuzz-seed", "0x7"}}}
	gas := func(value, kind string, runs int64, seed string) sdk.Measure {
		return sdk.Measure{Name: "gas", Value: json.Number(value), Kind: kind, Runs: runs, Seed: seed}
	}
	for fields, want := range map[string][]sdk.Measure{
		`"status":"Success","kind":{"Unit":{"gas":5}}`:                                     {gas("5", "unit", 0, "")},
		`"status":"Success","kind":{"Fuzz":{"runs":256,"mean_gas":7,"median_gas":8}}`:      {gas("7", "fuzz_mean", 256, "0x7"), gas("8", "fuzz_median", 256, "0x7")},
		`"status":"Success","kind":{"Table":{"runs":2,"mean_gas":7,"median_gas":8}}`:       {gas("7", "table", 2, ""), gas("8", "table_median", 2, "")},
		`"status":"Success","kind":{"Invariant":{"runs":2,"calls":7,"reverts":8}}`:         nil,
		`"status":"Failure","kind":{"Unit":{"gas":5}},"gas_snapshots":{"g":{"n":"1"}}`:     nil,
		`"status":"Skipped","kind":{"Unit":{"gas":0}}`:                                     nil,
		`"status":"Success","kind":{"Symbolic":{"gas":9}},"gas_snapshots":{"g":{"n":"1"}}`: {{Name: "gas_snapshot", Section: "g/n", Value: "1"}},
	} {
		got := feedParser(t, feeding{run: run, stdout: []byte(resultDocument("a:A", "t()", fields))})
		if !reflect.DeepEqual(got.Tests[0].Measures, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", fields, got.Tests[0].Measures, want)
		}
	}
}

// It is no measure, which would be compared.
func TestAFailureHasTheGasThatItUsed(t *testing.T) {
	if f := parseFailure(t, `"reason":"x","kind":{"Unit":{"gas":5123}}`); f.Attributes["gas"] != "5123" {
		t.Errorf("%v", f.Attributes)
	}
	if f := parseFailure(t, `"reason":"x","kind":{"Unit":{"gas":0}}`); f.Attributes["gas"] != "" {
		t.Errorf("%v", f.Attributes)
	}
}

func TestACounterexampleIsReadable(t *testing.T) {
	f := parseFailure(t, `"reason":"x","kind":{"Fuzz":{"runs":2}},"counterexample":{"Single":{"calldata":"0xaa","args":"1, 2"}}`)
	if got := f.Attributes["counterexample"]; got != "args=[1, 2] calldata=0xaa" || f.Attributes["fuzz_runs"] != "2" {
		t.Errorf("got %v", f.Attributes)
	}
	if f := parseFailure(t, `"reason":"x","kind":{"Fuzz":{"runs":0}}`); f.Attributes["fuzz_runs"] != "" {
		t.Errorf("the first input failed: %v", f.Attributes)
	}
	f = parseFailure(t, `"reason":"x","counterexample":{"Sequence":[3,[{"sender":"0x1","addr":"0x2","calldata":"0xaa","contract_name":"src/C.sol:C","signature":"f(uint256)","args":"7"},{"sender":"0x1","addr":"0x2","calldata":"0xbb","warp":"5"}]]}`)
	want := "sender=0x1 addr=[src/C.sol:C]0x2 calldata=f(uint256) args=[7]\nsender=0x1 addr=0x2 calldata=0xbb args=[] warp=5"
	if got := f.Attributes["sequence"]; got != want {
		t.Errorf("got %q", got)
	}
	got := feedParser(t, feeding{stdout: []byte(resultDocument("a:A", "t()", `"status":"Skipped","counterexample":{"Single":{"calldata":"0xaa"}}`))})
	if len(got.Tests[0].Attributes) > 0 {
		t.Errorf("a skipped test: %v", got.Tests[0].Attributes)
	}
}

func TestWithoutResultsForgesMessagesAreTheError(t *testing.T) {
	got := feedParser(t, feeding{stderr: []byte("Error: can't install missing solc 0.8.99 in offline mode\n"), exit: sdk.Exit{Code: 1}})
	if !reflect.DeepEqual(got.RunErrors, []string{"can't install missing solc 0.8.99 in offline mode"}) || len(got.Failures) > 0 {
		t.Errorf("got %+v", got)
	}
	got = feedParser(t, feeding{stdout: []byte(resultDocument("a:A", "t()", `"status":"Failure","reason":"x"`)), stderr: []byte("Error: afterwards\n"), exit: sdk.Exit{Code: 1}})
	if len(got.RunErrors) > 0 || len(got.Notes) != 1 {
		t.Errorf("beside a failure: %+v", got)
	}
	got = feedParser(t, feeding{stdout: []byte(resultDocument("a:A", "t()", `"status":"Success"`)), stderr: []byte("Error: afterwards\n"), exit: sdk.Exit{Code: 1}})
	if len(got.RunErrors) != 1 {
		t.Errorf("beside passed tests: %+v", got)
	}
	logs := "Error: a log\nError (1): of a test\n --> a:1:1:\n"
	got = feedParser(t, feeding{stdout: []byte(logs + resultDocument("a:A", "t()", `"status":"Success"`)), exit: sdk.Exit{Unknown: true}})
	if len(got.RunErrors)+len(got.Failures) > 0 {
		t.Errorf("logs of tests are taken for forge's words: %+v", got)
	}
}

func TestCompileErrorsBelongToTheRun(t *testing.T) {
	text := "Compiler run failed:\nError (7576): Undeclared identifier.\n --> /w/src/A.sol:3:75:\n  |\n"
	for _, f := range []feeding{{stdout: []byte(text), stderr: []byte("Error: Compilation failed\n")}, {stderr: []byte("Error: " + text)}, {stdout: []byte(text), stderr: []byte(text)}} {
		f.exit = sdk.Exit{Code: 1}
		got := feedParser(t, f)
		want := []sdk.Failure{{Kind: "build", Message: "Undeclared identifier.", Location: sdk.Location{File: "/w/src/A.sol", Line: 3, Column: 75}, Attributes: map[string]string{"code": "7576"}}}
		if !reflect.DeepEqual(got.Failures, want) || len(got.RunErrors) > 0 || len(got.Suites) > 0 {
			t.Errorf("got %+v", got)
		}
	}
}

func TestTheWholeLogOfATestIsPassedOn(t *testing.T) {
	line := strings.Repeat("é", 1000)
	logs := strings.Repeat(`"`+line+`",`, 1000) + `"end"`
	run := sdk.RunInfo{OutputOf: sdk.TestID{Suite: "a:A", Test: "t()"}}
	got := feedParser(t, feeding{run: run, stdout: []byte(resultDocument("a:A", "t()", `"status":"Failure","reason":"x","decoded_logs":[`+logs+`]`) + resultDocument("a:A", "u()", `"status":"Success","decoded_logs":["other"]`)), chunk: 1000})
	if want := strings.Repeat(line+"\n", 1000) + "end\n[FAIL: x] t()\n"; got.Text != want {
		t.Errorf("%d bytes, want %d", len(got.Text), len(want))
	}
	run.OutputOf.Test = ""
	document := resultDocument("a:A", "t()", `"status":"Success","decoded_logs":["one","two"]`) + resultDocument("a:A", "u()", `"status":"Success","decoded_logs":[]`) +
		resultDocument("a:B", "t()", `"status":"Success","decoded_logs":["of B"]`) + resultDocument("a:A", "v()", `"status":"Success","decoded_logs":["three"]`)
	if got := feedParser(t, feeding{run: run, stdout: []byte(document)}); got.Text != "one\ntwo\nthree\n" {
		t.Errorf("of a suite: %q", got.Text)
	}
	run.OutputOf.Test = "t()"
	document = resultDocument("a:A", "t()", `"status":"Failure","reason":"x\ny","counterexample":{"Single":{"calldata":"0x07","args":"7"}}`) + resultDocument("a:B", "t()", `"status":"Failure","reason":"z"`)
	if got := feedParser(t, feeding{run: run, stdout: []byte(document)}); got.Text != "[FAIL: x\ny; counterexample: args=[7] calldata=0x07] t()\n" {
		t.Errorf("of a test that logged nothing: %q", got.Text)
	}
	if f := got.Failures[0]; !f.OutputTruncated || !utf8.ValidString(f.Output) || len(f.Output) > 64<<10 || len(got.Tests[0].Attributes["logs"]) > 16<<10 {
		t.Errorf("an excerpt of %d bytes, truncated %v", len(f.Output), f.OutputTruncated)
	}
}

func TestAReplayedInputIsDistinguishedFromANewOne(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "cache", "fuzz", "failures", "A")
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "t"), []byte(`{"calldata":"0xaa"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	run := sdk.RunInfo{Workspace: sdk.Workspace{Root: root}, Command: sdk.Command{Argv: []string{"forge", "test"}}}
	document := func(runs int, calldata string) []byte {
		return []byte(resultDocument("test/A.t.sol:A", "t(uint256)", fmt.Sprintf(`"status":"Failure","reason":"x","kind":{"Fuzz":{"runs":%d}},"counterexample":{"Single":{"calldata":%q}}`, runs, calldata)))
	}
	for _, c := range []struct {
		runs     int
		calldata string
		want     string
	}{{0, "0xaa", "true"}, {0, "0xbb", ""}, {3, "0xaa", ""}} {
		got := feedParser(t, feeding{run: run, stdout: document(c.runs, c.calldata)})
		if replayed := got.Failures[0].Attributes["replayed"]; replayed != c.want || got.Tests[0].Attributes["replayed"] != c.want {
			t.Errorf("%+v: replayed %q", c, replayed)
		}
	}
	run.Command.Argv = nil // recorded output: the files may be newer
	if got := feedParser(t, feeding{run: run, stdout: document(0, "0xaa")}); got.Failures[0].Attributes["replayed"] != "" {
		t.Error("the note claims that a recorded output was replayed")
	}
}

func TestAReplayedInvariantIsRecognizedByForgesMessage(t *testing.T) {
	out := resultDocument("test/A.t.sol:A", "invariant_x()", `"status":"Failure","reason":"x","kind":{"Invariant":{"runs":1,"calls":1}}`)
	words := "Warning: Replayed invariant failure from \"/w/cache/invariant/failures/A/invariant_x\" file. \nRun `forge clean` or remove file to ignore failure and to continue invariant test campaign.\n"
	got := feedParser(t, feeding{stdout: []byte(out), stderr: []byte(words), exit: sdk.Exit{Code: 1}})
	if got.Failures[0].Attributes["replayed"] != "true" || len(got.Notes) > 0 {
		t.Errorf("got %+v", got)
	}
}

func TestABrokenDocumentCountsUnlessAWholeOneFollows(t *testing.T) {
	whole := resultDocument("a:A", "t()", `"status":"Success"`)
	broken := `{"a:A":{"test_results":{"x()":{"status":"Failure","reason":"x"},`
	got := feedParser(t, feeding{stdout: []byte(broken + "\n" + whole)})
	if len(got.Failures) > 0 || got.Damaged == 0 {
		t.Errorf("before a whole one: %+v", got)
	}
	for _, out := range []string{broken, broken + "\n", whole + broken} {
		got := feedParser(t, feeding{stdout: []byte(out)})
		if len(got.Failures) != 1 || got.Damaged == 0 || got.Suites[0].Outcome != sdk.SuiteUnfinished {
			t.Errorf("%q: %+v", out, got)
		}
	}
}

func TestWarningsOfSuitesAndOfForgeAreNotes(t *testing.T) {
	out := `{"a:A":{"test_results":{"t()":{"status":"Success"}},"warnings":["cheat code x is deprecated"]}}` + "\n"
	got := feedParser(t, feeding{stdout: []byte(out), stderr: []byte("Warning: Found unknown config\nWarning: Found unknown config\n")})
	if !reflect.DeepEqual(got.Notes, []string{"a:A: cheat code x is deprecated", "forge: Found unknown config"}) {
		t.Errorf("got %q", got.Notes)
	}
}

func TestAFailureHasACommandThatReproducesIt(t *testing.T) {
	run := sdk.RunInfo{Command: sdk.Command{Argv: []string{"forge", "test", "--json", "-vv", "--fuzz-seed=0x7", "--match-test", "t", "--via-ir", "--evm-version", "paris"}}}
	got := feedParser(t, feeding{run: run, stdout: []byte(resultDocument("test/[a].t.sol:A", "t(uint256)", `"status":"Failure","reason":"x"`))})
	want := []string{"forge", "test", "-vvvv", "--match-path=test/[[]a[]].t.sol", "--match-contract=^(A)$", `--match-test=^(t\(uint256\))$`, "--fuzz-seed=0x7", "--via-ir", "--evm-version", "paris"}
	if !reflect.DeepEqual(got.Failures[0].Repro.Argv, want) {
		t.Errorf("got %q", got.Failures[0].Repro.Argv)
	}
}

func BenchmarkTenThousandTests(b *testing.B) {
	var doc strings.Builder
	doc.WriteString(`{"test/A.t.sol:A":{"duration":"1s","test_results":{`)
	for i := range 10_000 {
		fmt.Fprintf(&doc, `"test_%d()":{"status":"Success","reason":null,"counterexample":null,"logs":[],"decoded_logs":["a"],"kind":{"Unit":{"gas":5123}},"traces":[],"labeled_addresses":{},"duration":"258µs 562ns","breakpoints":{},"gas_snapshots":{}},`, i)
	}
	doc.WriteString(`"end()":{"status":"Failure","reason":"x"}}}}` + "\n")
	data := []byte(doc.String())
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		got := &observed{}
		p := forge.New(forge.Config{}).ParseTestFailures(b.Context(), sdk.RunInfo{}, got)
		p.Write(sdk.Stdout, data)
		p.Close(sdk.Exit{Code: 1})
		if len(got.Tests) != 10_001 {
			b.Fatalf("%d tests", len(got.Tests))
		}
	}
}

func TestACampaignThatTriedNothingIsNotAPass(t *testing.T) {
	for kind, want := range map[string]sdk.Status{
		`{"Fuzz":{"runs":0,"mean_gas":0,"median_gas":0}}`:    sdk.Skipped,
		`{"Fuzz":{"runs":1,"mean_gas":7,"median_gas":7}}`:    sdk.Passed,
		`{"Invariant":{"runs":0,"calls":0,"reverts":0}}`:     sdk.Skipped,
		`{"Invariant":{"runs":256,"calls":0,"reverts":0}}`:   sdk.Passed,
		`{"Invariant":{"runs":256,"calls":90,"reverts":90}}`: sdk.Passed,
		`{"Invariant":{"runs":256,"calls":90,"reverts":89}}`: sdk.Passed,
		`{"Table":{"runs":0,"mean_gas":0,"median_gas":0}}`:   sdk.Skipped,
		`{"Unit":{"gas":0}}`:                                 sdk.Passed,
		`{"Symbolic":{"paths":3}}`:                           sdk.Passed,
	} {
		got := feedParser(t, feeding{stdout: []byte(resultDocument("test/A.t.sol:A", "t()", `"status":"Success","kind":`+kind)), exit: sdk.Exit{}})
		if len(got.Tests) != 1 || got.Tests[0].Status != want {
			t.Errorf("%s: %+v", kind, got.Tests)
			continue
		}
		if want == sdk.Skipped && (len(got.Tests[0].Measures) > 0 || !strings.Contains(got.Tests[0].Attributes["reason"], "no ")) {
			t.Errorf("%s: %+v", kind, got.Tests[0])
		}
		looked := strings.Contains(kind, `"calls":0`) && want == sdk.Passed || strings.Contains(kind, `"reverts":90`)
		if notes := strings.Join(got.Notes, "\n"); strings.Contains(notes, "only checked in the state after setUp()") != looked {
			t.Errorf("%s: notes %q", kind, notes)
		}
	}
}
