package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/sdk"
)

// newFoundry makes a Foundry project of its own, for a user who has forge.
func newFoundry(t *testing.T, tree files) *module {
	t.Helper()
	w := newModule(t, tree)
	w.remove("go.mod")
	w.setenv(forgetest.Environment(t)...)
	if _, own := tree["foundry.toml"]; !own {
		w.write(files{"foundry.toml": forgetest.Config})
	}
	return w
}

// exampleFoundry is a copy of examples/foundry.
func exampleFoundry(t *testing.T) *module {
	t.Helper()
	w := newFoundry(t, nil)
	w.remove("foundry.toml")
	if err := os.CopyFS(w.dir, os.DirFS(filepath.Join("..", "..", "examples", "foundry"))); err != nil {
		t.Fatal(err)
	}
	w.remove("out", "cache", ".proctor")
	return w
}

// replace changes one text in a file.
func (w *module) replace(name, old, new string) {
	w.t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	raw, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(raw), old) {
		w.t.Fatalf("%s has no %q: %v", name, old, err)
	}
	w.write(files{name: strings.Replace(string(raw), old, new, 1)})
}

func failedTests(run api.Run) []string {
	var names []string
	for _, f := range run.Failures {
		names = append(names, f.Suite+" "+f.Test)
	}
	return names
}

func TestAFoundryProjectFromRedToGreen(t *testing.T) {
	t.Parallel()
	w := exampleFoundry(t)
	run, r := w.object("run")
	r.expect(t, 1)
	want := []string{
		"test/Deployment.t.sol:DeploymentTest setUp()",
		"test/Fees.t.sol:FeesTest testFuzz_NothingIsFree(uint16)",
		"test/Token.t.sol:TokenTest test_TransferToOneself()",
		"test/Vault.t.sol:VaultTest test_WithdrawAtTheEndOfTheLock()",
	}
	if got := failedTests(run); !slices.Equal(got, want) {
		t.Fatalf("failed %q, want %q", got, want)
	}
	if run.Counts.Passed != 8 || run.Counts.NeverStarted != 2 || run.Outstanding != 4 || run.Seed == "" || run.Conditions["forge"] != forgetest.Version {
		t.Errorf("counts %+v, %d outstanding, seed %s, conditions %v", run.Counts, run.Outstanding, run.Seed, run.Conditions)
	}
	for _, f := range run.Failures {
		if f.Precision != sdk.PrecisionDeclaration || f.Line == 0 {
			t.Errorf("%s %s is at %s:%d, %s", f.Suite, f.Test, f.File, f.Line, f.Precision)
		}
	}
	fuzzed := run.Failures[1]
	if !strings.Contains(fuzzed.Attributes["counterexample"], "args=[") {
		t.Errorf("no counterexample: %v", fuzzed.Attributes)
	}

	// The same seed, and no more than what is outstanding.
	rerun, r := w.object("rerun")
	r.expect(t, 1)
	if got := failedTests(rerun); !slices.Equal(got, want) || rerun.Seed != run.Seed || rerun.Counts.Passed != 0 {
		t.Errorf("the rerun failed %q with seed %s and passed %d", got, rerun.Seed, rerun.Counts.Passed)
	}

	w.replace("test/Token.t.sol", "function test_TransferToOneself() public", "function test_TransferToOneself() internal")
	w.replace("test/Deployment.t.sol", "setUp() public", "setUp() internal")
	rerun, r = w.object("rerun")
	r.expect(t, 1)
	outcomes := map[string]api.Outcome{}
	for _, q := range rerun.Requested {
		outcomes[q.Suite+" "+q.Test] = q.Outcome
	}
	if outcomes[want[2]] != api.OutcomeDidNotRun || outcomes[want[1]] != api.OutcomeFailed {
		t.Errorf("outcomes %v", outcomes)
	}
}

func TestPreciseFindsTheLineThatFailed(t *testing.T) {
	t.Parallel()
	w := exampleFoundry(t)
	run, r := w.object("run", "--precise", "--seed", "0x1")
	r.expect(t, 1)
	places := map[string]string{}
	for _, f := range run.Failures {
		if f.Precision == sdk.PrecisionExact {
			places[f.Test] = sourceLine(t, w, f.File, f.Line)
		}
	}
	if line := places["test_WithdrawAtTheEndOfTheLock()"]; !strings.Contains(line, "revert Locked(") {
		t.Errorf("the line that failed is %q of %v", line, places)
	}
	// On a busy machine forge may find another counterexample when the fuzz test runs again,
	// even with the same seed. The place then stays that of the declaration, and this is said.
	another := slices.ContainsFunc(run.Warnings, func(n api.Note) bool {
		return n.Code == api.NotePlaces && strings.Contains(n.Text, "testFuzz_NothingIsFree(uint16) failed differently")
	})
	if want := 3; len(places) != want && (len(places) != want-1 || !another) {
		t.Errorf("exact are %v, with the warnings %v", places, run.Warnings)
	}
	shown, _ := w.object("runs", "show")
	if !slices.ContainsFunc(shown.Failures, func(f api.Failure) bool { return f.Precision == sdk.PrecisionExact }) {
		t.Error("the record does not have the places")
	}
}

func sourceLine(t *testing.T, w *module, file string, line int) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(raw), "\n")[line-1]
}

func TestPreciseSaysWhatItDoesNotFind(t *testing.T) {
	t.Parallel()
	w := newFoundry(t, files{"test/A.t.sol": `pragma solidity ^0.8.0;
contract ATest {
    function test_bad() public pure { require(false, "no"); }
    function test_endless() public pure { while (true) {} }
    function setUp() public {}
}
`})
	run, r := w.object("run", "--precise")
	r.expect(t, 1)
	for _, f := range run.Failures {
		if exact := f.Precision == sdk.PrecisionExact; exact != (f.Test == "test_bad()") {
			t.Errorf("%s: %s", f.Test, f.Precision)
		}
	}
	for _, c := range run.Commands[1:] {
		if strings.Contains(strings.Join(c.Argv, " "), "test_endless") {
			t.Errorf("a test without an end was traced: %q", c.Argv)
		}
	}
	// Where the second build is not possible it says so.
	w.remove(".proctor/cache")
	w.write(files{".proctor/cache": "in the way"})
	run, r = w.object("run", "--precise")
	r.expect(t, 1)
	if !slices.ContainsFunc(run.Warnings, func(n api.Note) bool {
		return strings.HasPrefix(n.Text, "the lines that failed were not found for 1 of 1 tests")
	}) {
		t.Errorf("warnings %q", run.Warnings)
	}
}

// counter has a test of its own gas, and one beside it.
const counter = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Counter {
    uint256 public n;
    function up() external { n += 1; }
    function down() external { n -= 1; }
}
contract CounterTest {
    Counter c;
    function setUp() public { c = new Counter(); }
    function test_up() public { c.up(); require(c.n() == 1, "up"); }
    function test_none() public view { require(c.n() == 0, "none"); }
    function testFuzz_up(uint8 times) public { for (uint256 i; i < times % 4; i++) c.up(); }
}
`

func TestGasOfAnUnchangedProjectDoesNotDiffer(t *testing.T) {
	t.Parallel()
	w := newFoundry(t, files{"test/C.t.sol": counter})
	w.proctor("run", "--seed", "7").expect(t, 0)
	w.proctor("run", "--seed", "7").expect(t, 0)
	w.proctor("gas", "--check").expect(t, 0, "no difference: 3 tests compared")

	w.replace("test/C.t.sol", "n += 1;", "n += 1; n += 0;")
	w.proctor("run", "--seed", "7").expect(t, 0)
	r := w.proctor("gas", "--check")
	r.expect(t, 1, "test_up()")
	if strings.Contains(r.stdout, "test_none()") {
		t.Errorf("a test that the change does not touch:\n%s", r.stdout)
	}
	// With another seed a fuzz test says nothing.
	w.proctor("run", "--seed", "8").expect(t, 0)
	w.proctor("gas").expect(t, 0, "other seed")
}

func TestAFilterOfTheConfigurationClearsNothing(t *testing.T) {
	t.Parallel()
	w := newFoundry(t, files{"test/A.t.sol": `pragma solidity ^0.8.0;
contract ATest { function test_ok() public {} function test_bad() public pure { revert("no"); } }
`})
	w.proctor("run").expect(t, 1)
	for _, narrow := range []files{
		{"foundry.toml": forgetest.Config + "match_test = \"ok\"\n"},
		{"foundry.toml": forgetest.Config + "no_match_test = \"bad\"\n"},
		{".env": "FOUNDRY_MATCH_TEST=ok\n"},
	} {
		w.write(narrow)
		run, r := w.object("run")
		r.expect(t, 0, "narrowed by settings: ")
		if run.Outstanding != 1 || len(run.Selection.Configured) != 1 {
			t.Errorf("%v: %d outstanding, configured %q", narrow, run.Outstanding, run.Selection.Configured)
		}
		w.write(files{"foundry.toml": forgetest.Config})
		w.remove(".env")
	}
	run, r := w.object("rerun")
	r.expect(t, 1)
	if got := failedTests(run); !slices.Equal(got, []string{"test/A.t.sol:ATest test_bad()"}) {
		t.Errorf("the rerun failed %q", got)
	}
}

func TestForgesExitCodeAloneIsNeverBelieved(t *testing.T) {
	t.Parallel()
	source := `pragma solidity ^0.8.0;
contract ATest { function test_ok() public {} function test_bad() public pure { revert("no"); } }
`
	for _, tc := range []struct {
		name string
		tree files
		env  string
		args []string
		code int
		says string
	}{
		{"failures are allowed", files{".env": "FORGE_ALLOW_FAILURE=true\n"}, "FORGE_ALLOW_FAILURE=true", nil, 1, "FAILED  1 test"},
		{"no test matches", nil, "", []string{"-f", "nothing_like_it"}, 4, "no test matches nothing_like_it"},
		{"no test exists", files{"test/A.t.sol": "pragma solidity ^0.8.0; contract A {}"}, "", nil, 4, "no test ran"},
		{"another project", files{"foundry.toml": forgetest.Config + "root = \"elsewhere\"\n"}, "", nil, 1, "FAILED  1 test"},
		{"it does not compile", files{"test/B.t.sol": "pragma solidity ^0.8.0; contract B { uint x = nothing; }"}, "", nil, 1, "code: 7576"},
		{"nor with a filter", files{"test/B.t.sol": "pragma solidity ^0.8.0; contract B { uint x = nothing; }"}, "", []string{"-f", "test_ok"}, 1, "DOES NOT BUILD"},
		{"a broken configuration", files{"foundry.toml": "[profile.default\n"}, "", nil, 6, "foundry.toml"},
		{"an unknown option", nil, "", []string{"--", "--no-such-option"}, 2, "--no-such-option"},
		{"a gas report", nil, "", []string{"--", "--gas-report"}, 2, "--gas-report"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newFoundry(t, files{"test/A.t.sol": source})
			w.write(tc.tree)
			if tc.env != "" {
				w.setenv(tc.env)
			}
			w.proctor(append([]string{"run"}, tc.args...)...).expect(t, tc.code, tc.says)
		})
	}
}

func TestLibrariesAreFoundAsForgeFindsThem(t *testing.T) {
	t.Parallel()
	w := newFoundry(t, files{
		"foundry.toml":                  forgetest.Config + "libs = [\"node_modules\"]\n",
		"src/A.sol":                     "pragma solidity ^0.8.0; contract A {}",
		"node_modules/dep/src/D.sol":    "pragma solidity ^0.8.0; import \"./E.sol\"; library D { function two() internal pure returns (uint256) { return E.two(); } }",
		"node_modules/dep/src/E.sol":    "pragma solidity ^0.8.0; library E { function two() internal pure returns (uint256) { return 2; } }",
		"node_modules/dep/foundry.toml": "[profile.default]\n",
		"test/A.t.sol":                  "pragma solidity ^0.8.0; import \"dep/src/D.sol\"; contract ATest { function test_a() public pure { require(D.two() == 2, \"two\"); } }",
	})
	w.proctor("run").expect(t, 0, "PASSED  1 test")
}

func TestAKilledForgeIsIncomplete(t *testing.T) {
	t.Parallel()
	w := newFoundry(t, files{"test/A.t.sol": `pragma solidity ^0.8.0;
contract ATest { function test_hangs() public pure { while (true) {} } function test_ok() public {} }
`, "foundry.toml": forgetest.Config + "gas_limit = 9000000000000000000\nmemory_limit = 1000000000\n"})
	run, r := w.object("run", "--timeout", "8")
	r.expect(t, 124)
	if run.Verdict != api.Incomplete || run.Counts.NeverStarted != 2 || run.Outstanding != 2 {
		t.Errorf("%s: %s; counts %+v, %d outstanding", run.Verdict, run.Reason, run.Counts, run.Outstanding)
	}
}

func TestFlagsThatALanguageDoesNotTakeAreRefused(t *testing.T) {
	t.Parallel()
	w := newFoundry(t, files{"test/A.t.sol": "pragma solidity ^0.8.0; contract ATest { function test_ok() public {} }"})
	w.proctor("run", "./...").expect(t, 0, "PASSED  1 test")
	w.proctor("run", "./test/...", "--match-path", "x").expect(t, 2, "does not take --package")
	w.proctor("run", "test/A.t.sol:ATest").expect(t, 0, "PASSED  1 test")
	w.proctor("run", "--evm-version", "paris").expect(t, 0, "--evm-version paris")
	w.proctor("doctor").expect(t, 0, "nothing is wrong", "forge")

	g := newModule(t, files{"a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(*testing.T) {}\n"})
	for _, args := range [][]string{{"--match-path", "x"}, {"--match-contract", "x"}, {"--evm-version", "paris"}, {"--seed", "7"}} {
		g.proctor(append([]string{"run"}, args...)...).expect(t, 2, "go does not take "+args[0])
	}
}

func TestTwoLanguagesInOneWorkspace(t *testing.T) {
	t.Parallel()
	w := newFoundry(t, files{
		"go.mod": "module example.com/m\n\ngo 1.20\n", "a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(*testing.T) {}\n",
		"test/A.t.sol": `pragma solidity ^0.8.0; contract ATest { function test_bad() public pure { revert("no"); } }`,
	})
	w.write(files{"go.mod": "module example.com/m\n\ngo 1.20\n"})
	w.proctor("run", "-race").expect(t, 2, "solidity does not take -race; name the language that is meant with --lang")
	w.write(files{".proctor.toml": "[run]\nargs = [\"-race\"]\n"})
	w.proctor("run").expect(t, 2, "-race is not a flag that plugin forge declares", "put it into [run.LANGUAGE]")
	w.remove(".proctor.toml")
	r := w.proctor("run")
	r.expect(t, 1, "PASSED  1 test", "FAILED  1 test")
	w.proctor("run", "--lang", "go").expect(t, 0)
	w.proctor("failures").expect(t, 0, "test_bad()")
	w.proctor("rerun").expect(t, 1, "test_bad()")
}

func TestAProjectOfAnotherLanguageBelowIsNamedWithHowToTestIt(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a_test.go":              "package a\n\nimport \"testing\"\n\nfunc TestA(*testing.T) {}\n",
		"contracts/foundry.toml": "[profile.default]\n",
	})
	w.proctor("run").expect(t, 0, "not tested: contracts", "test it with `proctor run -C contracts`")
}
