package forge_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// versionedRun returns a run in a workspace whose forge reports a version.
func versionedRun(t *testing.T, version string) sdk.RunInfo {
	t.Helper()
	return sdk.RunInfo{
		Workspace: sdk.Workspace{Root: t.TempDir(), Probes: map[string]sdk.ProbeOutput{"version": {Stdout: []byte("forge Version: " + version + "\nCommit SHA: 0123456789abcdef\n")}}},
		Command:   sdk.Command{Argv: []string{"forge", "test", "--json"}},
	}
}

// Forge prints its results once: if that is certain, something else wrote a second
// document.
func TestSeveralDocumentsAreDamageIfForgePrintsOne(t *testing.T) {
	first, second := resultDocument("test/A.t.sol:A", "t()", `"status":"Success"`), resultDocument("test/Z.t.sol:Z", "u()", `"status":"Success"`)
	for version, damage := range map[string]bool{
		"1.7.1": true, "1.5.1-stable": true, "1.0.0": true, "1.7.2-nightly": false, "1.7.2": false, "1.8.0": false, "2.0.0": false, "1.7.1-rc1": false, "": false, "odd": false,
	} {
		run := versionedRun(t, version)
		got := feedParser(t, feeding{run: run, stdout: []byte(first + second)})
		if damage && (got.Damaged != int64(len(first)-1) || !strings.HasPrefix(first, got.DamagedSample)) {
			t.Errorf("forge %q: %d bytes damaged: %q", version, got.Damaged, got.DamagedSample)
		}
		if (got.Damaged > 0) != damage || len(got.Tests) != 2 || !strings.Contains(strings.Join(got.Notes, "\n"), "2 documents of results") {
			t.Errorf("forge %q: %+v", version, got)
		}
		if got := feedParser(t, feeding{run: run, stdout: []byte(first + "a line\n")}); got.Damaged > 0 || len(got.Notes) > 0 {
			t.Errorf("forge %q, one document: %+v", version, got)
		}
	}
}

func TestAFailureInALineThatIsNotADocumentIsDamage(t *testing.T) {
	whole := resultDocument("test/A.t.sol:A", "t()", `"status":"Success"`)
	bad := `{"test/A.t.sol:A":{"test_results":{"u()":{"status":"Failure","reason":"x"}}}}`
	pretty := strings.NewReplacer("{", "{\n", ",", ",\n", "}", "\n}", `":"`, `": "`).Replace(bad)
	for name, out := range map[string]string{
		"text before it":          whole + "xx" + bad + "\n",
		"text before it, first":   "xx" + bad + "\n" + whole,
		"far behind text":         strings.Repeat("x", 100<<10) + bad + "\n" + whole,
		"within another document": `{"a":{"b":` + bad + "}}\n" + whole,
		"a document gone foreign": strings.TrimSuffix(bad, "}") + `,"b":3}` + "\n" + whole,
		"pretty":                  whole + pretty + "\n",
		"pretty, before":          pretty + "\n" + whole,
	} {
		for _, chunk := range []int{0, 1, 7} {
			got := feedParser(t, feeding{stdout: []byte(out), chunk: chunk})
			if got.Damaged == 0 || len(got.Tests) != 1 {
				t.Errorf("%s, chunks of %d: %+v", name, chunk, got)
			}
		}
	}
	for name, out := range map[string]string{
		"no failure":       whole + "xx" + strings.ReplaceAll(bad, "Failure", "Success") + "\n",
		"the word alone":   whole + `the status was "Failure"` + "\n",
		"the fields alone": whole + "has no test_results and no \"test_results\"\n",
	} {
		if got := feedParser(t, feeding{stdout: []byte(out)}); got.Damaged > 0 || got.Foreign == 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestASkippedSetUpSaysWhatItSkips(t *testing.T) {
	got := feedParser(t, feeding{stdout: []byte(resultDocument("test/A.t.sol:A", "setUp()", `"status":"Skipped","reason":"skipped: later"`))})
	if want := []string{"test/A.t.sol:A: setUp() was skipped, and with it every test of the contract: skipped: later"}; !reflect.DeepEqual(got.Notes, want) {
		t.Errorf("notes %q", got.Notes)
	}
}

func TestAFixtureThatPassedIsNotATest(t *testing.T) {
	got := feedParser(t, feeding{stdout: []byte(resultDocument("test/A.t.sol:A", "setUp()", `"status":"Success"`))})
	if len(got.Tests) != 0 || got.Suites[0].Outcome != sdk.SuiteNoTests {
		t.Errorf("got %+v", got)
	}
	got = feedParser(t, feeding{stdout: []byte(resultDocument("test/A.t.sol:A", "setUp()", `"status":"Success"`) + resultDocument("test/A.t.sol:A", "t()", `"status":"Success"`))})
	if len(got.Tests) != 1 || got.Suites[0].Outcome != sdk.SuitePassed {
		t.Errorf("got %+v", got)
	}
}

func TestAHintAtTheHelpIsNotPartOfAnError(t *testing.T) {
	said := "error: invalid value 'zz' for '--fuzz-seed <FUZZ_SEED>': digit 35 is out of range for base 10\n\nFor more information, try '--help'.\n"
	got := feedParser(t, feeding{stderr: []byte(said), exit: sdk.Exit{Code: 2}})
	if want := []string{"invalid value 'zz' for '--fuzz-seed <FUZZ_SEED>': digit 35 is out of range for base 10"}; !reflect.DeepEqual(got.RunErrors, want) {
		t.Errorf("got %q", got.RunErrors)
	}
}
