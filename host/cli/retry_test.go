package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/plugins/forge/forgetest"
)

// retryTest has tests that fail in the first tries of a run, as the environment says:
// FAILS="TestA=1 TestB=9" has TestA fail once.
const retryTest = `package p

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func try(t *testing.T) {
	t.Helper()
	name := strings.ReplaceAll(t.Name(), "/", "_")
	path := filepath.Join(os.Getenv("TRIES"), filepath.Base(os.Args[0])+name)
	n := 0
	if raw, err := os.ReadFile(path); err == nil {
		fmt.Sscan(string(raw), &n)
	}
	n++
	os.WriteFile(path, []byte(fmt.Sprint(n)), 0o600)
	for _, w := range strings.Fields(os.Getenv("FAILS")) {
		var fails int
		of, how, _ := strings.Cut(w, "=")
		if of != name {
			continue
		}
		switch fmt.Sscan(how, &fails); {
		case how == "skip" && n > 1:
			t.Skip("not again")
		case how == "panic" && n > 1:
			panic("again")
		case how == "hang" && n > 1:
			select {}
		case how == "exit" && n > 1:
			os.Exit(7)
		case how == "race" && n == 2 || how == "raced" && n == 1:
			race(t)
		case how == "alternate":
			if (n%2 == 1) == (t.Name() == "TestParts/a") {
				t.Errorf("wrong on try %d", n)
			}
		case fails >= n || n == 1:
			t.Errorf("wrong on try %d", n)
		}
	}
}

func TestA(t *testing.T) { try(t) }
func TestB(t *testing.T) { try(t) }
func TestParts(t *testing.T) {
	t.Run("a", try)
	t.Run("b", try)
}

// race fails as package testing does after a race whose report went to a file of GORACE.
func race(t *testing.T) {
//line testing.go:1490
	t.Error("race detected during execution of test")
}
`

// newRetried makes a module with retryTest in two packages.
func newRetried(t *testing.T) *module {
	t.Helper()
	return newModule(t, files{"p/p_test.go": retryTest, "q/q_test.go": strings.Replace(retryTest, "func TestParts", "func TestOthers", 1)})
}

// shellTry is a test like those of retryTest: SUITE NAME.
const shellTry = `n=$(cat "$TRIES/$1$2" 2>/dev/null)
n=$((n + 1))
echo $n >"$TRIES/$1$2"
for w in $FAILS; do
	[ "${w%=*}" = "$2" ] || continue
	fails=${w#*=}
	if [ $fails = edit ]; then
		fails=1
		[ $n = 1 ] || : >"$1/new"
	fi
	if [ $n -le $fails ]; then
		echo "wrong on try $n"
		exit 1
	fi
done
`

// newShellRetried makes a module like that of [newRetried] for what does not depend on the
// language.
func newShellRetried(t *testing.T) *module {
	t.Helper()
	tree := files{"try": shellTry}
	for _, suite := range []string{"p", "q"} {
		for _, test := range []string{"TestA", "TestB", "TestC"} {
			tree[suite+"/"+suite+".tests"] += test + " set -- " + suite + " " + test + "; . ./try\n"
		}
	}
	return newShellModule(t, tree)
}

// retry has tests fail, and runs with arguments.
func (w *module) retry(fails string, args ...string) (api.Run, reply) {
	w.t.Helper()
	tries := w.t.TempDir()
	w.setenv("TRIES="+tries, "FAILS="+fails)
	return w.object(append([]string{"run"}, args...)...)
}

// flakyOf names the flaky tests of a run, each with its tries.
func flakyOf(run api.Run) []string {
	var names []string
	for _, r := range run.Retried {
		if r.Flaky {
			names = append(names, fmt.Sprintf("%s %s %d", filepath.Base(r.Suite), r.Test, run.PassedOnTry(r.Suite, r.Test)))
		}
	}
	slices.Sort(names)
	return names
}

func TestRetriesTellFlakyTestsFromThoseThatFail(t *testing.T) {
	t.Parallel()
	goes, shell := newRetried(t), newShellRetried(t)
	only, twice := []string{"--retries", "3", "./p"}, []string{"--retries", "1", "./p"}
	for _, c := range []struct {
		of          *module
		what, fails string
		args        []string
		verdict     api.Verdict
		flaky       []string
		note        string
	}{
		{shell, "nothing failed", "", only, api.Passed, nil, ""},
		{shell, "no retries", "TestA=1", nil, api.Failed, nil, ""},
		{shell, "once", "TestA=1", only, api.Failed, []string{"p TestA 2"}, ""},
		{shell, "one twice, one always", "TestA=2 TestB=9", only, api.Failed, []string{"p TestA 3"}, ""},
		{goes, "a subtest", "TestParts_a=1", only, api.Failed, []string{"p TestParts/a 2"}, ""},
		{goes, "subtests by turns", "TestParts_a=alternate TestParts_b=alternate", only, api.Failed, nil, ""},
		{goes, "skipped then", "TestA=skip", twice, api.Failed, nil, ""},
		{goes, "panics then", "TestA=1 TestB=panic", twice, api.Failed, nil, ""},
		{goes, "a race", "TestA=raced", twice, api.Failed, nil, ""},
		{goes, "a race then", "TestA=race", only, api.Failed, nil, "detected a data race: a pass in it or after it proves nothing"},
		{goes, "a race beside", "TestA=1 TestB=race", only, api.Failed, nil, "detected a data race: a pass in it or after it proves nothing"},
		{goes, "a race elsewhere", "TestA=1 TestB=raced", twice, api.Failed, []string{"p TestA 2"}, ""},
		{goes, "exits then", "TestA=1 TestB=exit", twice, api.Failed, nil, ""},
		{shell, "more than the limit", "TestA=1 TestB=1", append([]string{"--retry-limit", "1"}, only...), api.Failed, nil, "2 tests failed, more than the retry limit of 1: not retried"},
		{goes, "in both packages", "TestA=1", []string{"--retries", "1", "--cached"}, api.Failed, []string{"p TestA 2", "q TestA 2"}, ""},
	} {
		run, _ := c.of.retry(c.fails, c.args...)
		note := ""
		for _, n := range run.Warnings {
			if n.Code == api.NoteRetry {
				note += n.Text
			}
		}
		if got := flakyOf(run); run.Verdict != c.verdict || !slices.Equal(got, c.flaky) || run.Counts.Flaky != len(c.flaky) || (note == "") != (c.note == "") || !strings.HasSuffix(note, c.note) {
			t.Errorf("%s: %s: %s; flaky %q (%d), retried %+v, note %q", c.what, run.Verdict, run.Reason, got, run.Counts.Flaky, run.Retried, note)
		}
	}

	run, _ := shell.retry("TestA=edit", only...)
	if len(flakyOf(run)) > 0 || run.Verdict != api.Failed || !slices.ContainsFunc(run.Warnings, func(n api.Note) bool { return strings.HasPrefix(n.Text, "the sources changed: retry ") }) {
		t.Errorf("the sources changed: %s, %+v, %+v", run.Verdict, run.Retried, run.Warnings)
	}
}

func TestARerunRetries(t *testing.T) {
	t.Parallel()
	w := newShellRetried(t)
	tries := t.TempDir()
	w.setenv("TRIES="+tries, "FAILS=TestA=2 TestB=9")
	w.proctor("run", "./p").expect(t, 1)
	run, r := w.object("rerun", "--retries", "1")
	if got := flakyOf(run); r.code != 1 || run.Verdict != api.Failed || !slices.Equal(got, []string{"p TestA 2"}) {
		t.Errorf("exit %d, %s: %s, flaky %q", r.code, run.Verdict, run.Reason, got)
	}
	w.proctor("rerun", "--list").expect(t, 0, "p TestA", "p TestB")
	if r := w.proctor("rerun", "--retries", "2"); strings.Contains(r.stdout, "failing for 2 runs") || !strings.Contains(r.stdout, "failing for 3 runs") {
		t.Errorf("a test that failed in 3 runs, two of them with retries:\n%s", r.stdout)
	}
	w.proctor("why", "p/TestB").expect(t, 0, "in 3 runs")
	w.proctor("history", "--failure-rate").expect(t, 0, "3 of 3")
}

func TestOnlyTheProjectLetsFlakyTestsPass(t *testing.T) {
	t.Parallel()
	w := newShellRetried(t)
	w.proctor("run").expect(t, 0, "PASSED")
	red, _ := w.retry("TestA=1 TestB=1", "--retries", "1", "./p")
	w.proctor("runs", "show").expect(t, 0, "2 flaky")
	if red.Verdict != api.Failed || red.Counts.Flaky != 2 || red.Outstanding != 2 {
		t.Errorf("%s: %s, %+v", red.Verdict, red.Reason, red)
	}
	w.proctor("history", "p/p/TestA").expect(t, 0, "flaky")
	w.proctor("runs").expect(t, 0, "retry")
	if last, _ := w.object("runs", "show"); last.RunID != red.RunID {
		t.Errorf("the last run is %s, a %s", last.RunID, last.Kind)
	}
	w.proctor("rerun").expect(t, 0, "PASSED")

	policy := files{".proctor.toml": "[run]\nretries = 1\nflaky = \"pass\"\n"}
	w.write(policy)
	green, answer := w.retry("TestA=1 TestB=1", "./p")
	if green.Verdict != api.Passed || green.Counts.Flaky != 2 || green.Outstanding != 0 || green.FailuresTotal != 2 || answer.code != 0 {
		t.Errorf("%s: %s, %+v", green.Verdict, green.Reason, green)
	}
	w.setenv("TRIES="+t.TempDir(), "FAILS=TestA=1")
	report := filepath.Join(t.TempDir(), "report.xml")
	w.proctor("run", "./p", "--junit", report).expect(t, 0, "PASSED (1 flaky)", "~ p/p TestA", "p/p.tests:1")
	if raw, err := os.ReadFile(report); err != nil || !strings.Contains(string(raw), "<flakyFailure") || strings.Contains(string(raw), "<failure") || !strings.Contains(string(raw), `name="proctor.reason" value="2 tests passed; 1 flaky`) {
		t.Errorf("%v: %s", err, raw)
	}
	goes := newRetried(t)
	goes.write(policy)
	for _, c := range []struct {
		of          *module
		what, fails string
	}{{w, "one fails always", "TestA=1 TestB=9"}, {goes, "one by turns", "TestParts_a=alternate TestParts_b=alternate"}} {
		if run, answer := c.of.retry(c.fails, "./p"); run.Verdict != api.Failed || answer.code != 1 || run.Outstanding == 0 {
			t.Errorf("%s: %s: %s", c.what, run.Verdict, run.Reason)
		}
	}
	known, _ := w.retry("TestB=9", "--retries", "0", "./p")
	w.proctor("quarantine", "add", "p/p/TestB", "--reason", "known").expect(t, 0)
	if run, _ := w.retry("TestA=1 TestB=9", "./p"); run.Verdict != api.Passed || run.Quarantined != 1 || len(run.Retried) != 1 || !slices.Equal(flakyOf(run), []string{"p TestA 2"}) {
		t.Errorf("with a known failure in quarantine: %s: %s, %+v (%s)", run.Verdict, run.Reason, run.Retried, known.Reason)
	}
	if run, _ := w.retry("TestB=9", "./p"); run.Verdict != api.Passed || run.Quarantined != 1 || len(run.Retried) != 0 {
		t.Errorf("with nothing to retry: %s: %s", run.Verdict, run.Reason)
	}
	w.replace("try", "wrong on try", "something else is wrong on try")
	if run, answer := w.retry("TestA=1 TestB=9", "./p"); run.Verdict != api.Failed || answer.code != 1 || run.Quarantined != 0 || !slices.Equal(flakyOf(run), []string{"p TestA 2"}) {
		t.Errorf("with another failure of the test in quarantine: %s: %s, %+v", run.Verdict, run.Reason, run.Retried)
	}
	goes.write(files{"r/r_test.go": "package r\n\nvar x int = \"\"\n"})
	if run, answer := goes.retry("TestA=1"); run.Verdict != api.BuildFailed || answer.code != 1 || len(flakyOf(run)) != 2 {
		t.Errorf("with a package that does not build: %s: %s, %+v", run.Verdict, run.Reason, run.Retried)
	}
}

// Two contracts of one name differ in their files, and a fuzz test fails again with its
// seed.
func TestAFoundryTestIsRetriedAsItFailed(t *testing.T) {
	t.Parallel()
	tries := t.TempDir()
	const contract = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

interface Vm {
    function exists(string calldata path) external returns (bool);
    function writeFile(string calldata path, string calldata data) external;
}

contract FlakyTest {
    Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function test_Once() public {
        if (!vm.exists("PATH")) {
            vm.writeFile("PATH", "1");
            require(false, "not yet");
        }
    }

    function testFuzz_Small(uint256 n) public pure {
        require(n < 1 << 8, "not small");
    }
}
`
	w := newFoundry(t, files{
		"foundry.toml": forgetest.Config + fmt.Sprintf("fs_permissions = [{ access = \"read-write\", path = %q }]\n", tries),
		"test/A.t.sol": strings.ReplaceAll(contract, "PATH", tries+"/A"),
		"test/B.t.sol": strings.ReplaceAll(strings.ReplaceAll(contract, "PATH", tries+"/B"), "n < 1 << 8", "n >= 0"),
	})
	run, _ := w.object("run", "--retries", "1")
	if got := flakyOf(run); run.Verdict != api.Failed || !slices.Equal(got, []string{"A.t.sol:FlakyTest test_Once() 2", "B.t.sol:FlakyTest test_Once() 2"}) {
		t.Errorf("%s: %s; flaky %q, retried %+v", run.Verdict, run.Reason, got, run.Retried)
	}
	for _, r := range run.Retried {
		attempt, _ := w.object("runs", "show", r.Attempts[0].RunID)
		if attempt.Seed != run.Seed || attempt.RetryOf != run.RunID || attempt.Counts.Tests != 3 {
			t.Errorf("seed %s, want %s; retry of %s, want %s; %+v", attempt.Seed, run.Seed, attempt.RetryOf, run.RunID, attempt.Counts)
		}
	}
}
