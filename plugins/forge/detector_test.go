package forge_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge"
	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

func configProbe(text string) map[string]sdk.ProbeOutput {
	return map[string]sdk.ProbeOutput{settings.ConfigProbe: {Stdout: []byte(text)}}
}

func TestTestCmdComposesTheCommand(t *testing.T) {
	for _, test := range []struct {
		name      string
		selection sdk.Selection
		args      string
		seed      string // "" means 1, and is not in want
		config    string
		want      string
	}{
		{"plain", sdk.Selection{}, "", "", "", "-vv"},
		{"seed", sdk.Selection{}, "", "255", "", "-vv --fuzz-seed 0xff"},
		{"a seed beats the configured one", sdk.Selection{}, "", "255", `{"fuzz":{"seed":"0x9"}}`, "-vv --fuzz-seed 0xff"},
		{"user's seed", sdk.Selection{}, "--fuzz-seed 12", "", `{"fuzz":{"seed":"0x9"}}`, "-vv --fuzz-seed 12"},
		{"filters", sdk.Selection{PathPattern: "test/*", SuitePattern: "^A", TestPattern: "x|y"}, "", "", "", "-vv --match-path=test/* --match-contract=^A --match-test=x|y"},
		{"a suite", sdk.Selection{PathPattern: "test/A.t.sol:ATest", TestPattern: "x"}, "", "", "", "-vv --match-path=test/A.t.sol --match-contract=^(ATest)$ --match-test=x"},
		{"a pattern like an option", sdk.Selection{TestPattern: "-x"}, "", "", "", "-vv --match-test=-x"},
		{"arguments", sdk.Selection{}, "--evm-version paris -j4 --isolate", "", "", "-vv --evm-version paris -j 4 --isolate"},
		{"less verbose", sdk.Selection{}, "-v", "", "", "-vv"},
		{"more verbose", sdk.Selection{}, "-vv -vvs", "", "", "-vvvv -s"},
		{"no more than forge has", sdk.Selection{}, "-vvvvvvvvv", "", "", "-vvvvv"},
		{"json again", sdk.Selection{}, "--json", "", "", "-vv"},
		{"a path", sdk.Selection{}, "test/A.t.sol --skip a b", "", "", "-vv --skip a b -- test/A.t.sol"},
		{"broken configuration", sdk.Selection{}, "", "", "not json", "-vv"},
	} {
		t.Run(test.name, func(t *testing.T) {
			asked, want := test.seed, test.want
			if asked == "" && !strings.Contains(want, "--fuzz-seed") {
				level, rest, _ := strings.Cut(want, " ")
				asked, want = "1", strings.TrimSuffix(level+" --fuzz-seed 0x1 "+rest, " ")
			}
			root := t.TempDir()
			forgetest.Write(t, root, "test/A.t.sol", "")
			plan, err := forge.New(forge.Config{}).TestCmd(t.Context(), sdk.TestRequest{
				Workspace: sdk.Workspace{Root: root, Probes: configProbe(test.config)},
				Selection: test.selection, RunnerArgs: strings.Fields(test.args), Seed: asked,
			})
			if err != nil || len(plan.Commands) != 1 {
				t.Fatalf("%d commands, error %v", len(plan.Commands), err)
			}
			if diff := cmp.Diff("forge test --json "+want, strings.Join(plan.Commands[0].Argv, " ")); diff != "" {
				t.Errorf("command differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestASeedIsAlwaysChosenAndReported(t *testing.T) {
	plan := func(asked, config string) (sdk.Plan, error) {
		return forge.New(forge.Config{}).TestCmd(t.Context(), sdk.TestRequest{
			Workspace: sdk.Workspace{Root: t.TempDir(), Probes: configProbe(config)}, Seed: asked,
		})
	}
	for args, refused := range map[string]bool{"--fuzz-seed 0x7": true, "--fuzz-seed 5": false, "--fuzz-seed=0x5": false, "--fuzz-seed zz": true} {
		_, err := forge.New(forge.Config{}).TestCmd(t.Context(), sdk.TestRequest{Workspace: sdk.Workspace{Root: t.TempDir()}, Seed: "5", RunnerArgs: strings.Fields(args)})
		if (err != nil) != refused {
			t.Errorf("seed 5 and %s: %v", args, err)
		}
	}
	one, _ := plan("", "")
	other, err := plan("", "")
	if err != nil || one.Seed == "" || one.Seed == other.Seed {
		t.Errorf("seeds %q and %q, %v", one.Seed, other.Seed, err)
	}
	if !slices.Contains(one.Commands[0].Argv, one.Seed) {
		t.Errorf("%q is not in %q", one.Seed, one.Commands[0].Argv)
	}
	if p, err := plan("", `{"fuzz":{"seed":"0x9"}}`); err != nil || p.Seed != "0x9" {
		t.Errorf("with a configured seed it is %q, %v", p.Seed, err)
	}
	for _, bad := range []string{"x", "-1", "1.5", "0x1" + strings.Repeat("0", 64)} {
		var refused *sdk.Error
		if _, err := plan(bad, ""); !errors.As(err, &refused) || refused.Reason != sdk.InvalidArguments || !strings.Contains(refused.Message, bad) {
			t.Errorf("the seed %q gives %v", bad, err)
		}
	}
}

func TestTestCmdRejectsWhatWouldBreakARun(t *testing.T) {
	for _, test := range []struct {
		selection sdk.Selection
		args      string
		reason    sdk.Reason
		says      string
	}{
		{sdk.Selection{}, "--list", sdk.InvalidArguments, "--list"},
		{sdk.Selection{}, "-l", sdk.InvalidArguments, "-l"},
		{sdk.Selection{}, "-vvq", sdk.InvalidArguments, "-q"},
		{sdk.Selection{}, "--gas-report", sdk.InvalidArguments, "--gas-report"},
		{sdk.Selection{}, "--summary", sdk.InvalidArguments, "--summary"},
		{sdk.Selection{}, "--junit", sdk.InvalidArguments, "JSON"},
		{sdk.Selection{}, "--md", sdk.InvalidArguments, "--md"},
		{sdk.Selection{}, "--color=always", sdk.InvalidArguments, "--color"},
		{sdk.Selection{}, "--show-progress", sdk.InvalidArguments, "--show-progress"},
		{sdk.Selection{}, "--live-logs", sdk.InvalidArguments, "logs"},
		{sdk.Selection{}, "--debug", sdk.InvalidArguments, "--debug"},
		{sdk.Selection{}, "--flamegraph", sdk.InvalidArguments, "--flamegraph"},
		{sdk.Selection{}, "-w src", sdk.InvalidArguments, "-w"},
		{sdk.Selection{}, "--watch", sdk.InvalidArguments, "--watch"},
		{sdk.Selection{}, "--rerun", sdk.InvalidArguments, "a rerun runs"},
		{sdk.Selection{}, "--allow-failure", sdk.InvalidArguments, "--allow-failure"},
		{sdk.Selection{}, "--root=/x", sdk.InvalidArguments, "-C"},
		{sdk.Selection{}, "--config-path x", sdk.InvalidArguments, "FOUNDRY_PROFILE"},
		{sdk.Selection{}, "-h", sdk.InvalidArguments, "-h"},
		{sdk.Selection{}, "--match-test", sdk.InvalidArguments, "--match-test VALUE"},
		{sdk.Selection{}, "--mp a --match-path b", sdk.InvalidArguments, "--match-path"},
		{sdk.Selection{}, "--mt a --mt b", sdk.InvalidArguments, "a|b"},
		{sdk.Selection{}, "a.t.sol b.t.sol", sdk.InvalidArguments, "a.t.sol"},
		{sdk.Selection{}, "a.t.sol --mp x", sdk.InvalidArguments, "a.t.sol"},
		{sdk.Selection{PathPattern: "x"}, "a.t.sol", sdk.InvalidSelection, "a.t.sol"},
		{sdk.Selection{TestPattern: "x"}, "--mt y", sdk.InvalidSelection, "--match-test"},
		{sdk.Selection{SuitePattern: "x"}, "--mc=y", sdk.InvalidSelection, "--match-contract"},
		{sdk.Selection{TestPattern: "test_x("}, "", sdk.InvalidSelection, `\(`},
		{sdk.Selection{TestPattern: "[x"}, "", sdk.InvalidSelection, "[x"},
		{sdk.Selection{SuitePattern: "*A"}, "", sdk.InvalidSelection, "*A"},
		{sdk.Selection{TestPattern: "(?!x)y"}, "", sdk.InvalidSelection, "(?!"},
		{sdk.Selection{TestPattern: "x\x00"}, "", sdk.InvalidSelection, "NUL"},
		{sdk.Selection{Suites: []string{"test/A.t.sol:A"}}, "", sdk.InvalidSelection, "pattern"},
	} {
		t.Run(test.args+test.selection.TestPattern, func(t *testing.T) {
			_, err := forge.New(forge.Config{}).TestCmd(t.Context(), sdk.TestRequest{Selection: test.selection, RunnerArgs: strings.Fields(test.args)})
			var refusal *sdk.Error
			if !errors.As(err, &refusal) || refusal.Reason != test.reason || !strings.Contains(refusal.Message, test.says) {
				t.Errorf("error is %v; want %s, naming %q", err, test.reason, test.says)
			}
		})
	}
}

func TestRustOnlySyntaxIsLeftToForge(t *testing.T) {
	for _, pattern := range []string{`(?x) a b # (`, `[[:alpha:]&&[^x]]`, `\b{start}x`, `x{2,3}`, `(?<name>x)`} {
		if _, err := forge.New(forge.Config{}).TestCmd(t.Context(), sdk.TestRequest{Selection: sdk.Selection{TestPattern: pattern}}); err != nil {
			t.Errorf("%q: %v", pattern, err)
		}
	}
}

func TestAPatternThatEndsBeforeTheParenthesisCausesAWarning(t *testing.T) {
	for pattern, warned := range map[string]bool{
		"^test_x$": true, "^(test_x|test_y)$": true, "test_[a-z]+$": true, "^test_x$|^test_y\\(\\)$": true,
		"test_x": false, "^test_x\\(": false, "^test_x\\(\\)$": false, "^test_.*$": false, "uint256\\)$": false, "^(a|b\\(\\))$": false, "$": false, "[^(]$": false,
	} {
		for _, byArgument := range []bool{false, true} {
			req := sdk.TestRequest{Selection: sdk.Selection{TestPattern: pattern}}
			if byArgument {
				req = sdk.TestRequest{RunnerArgs: []string{"--mt", pattern}}
			}
			plan, err := forge.New(forge.Config{}).TestCmd(t.Context(), req)
			if err != nil || (len(plan.Warnings) == 1) != warned {
				t.Errorf("%q: warnings %q, error %v; want a warning: %t", pattern, plan.Warnings, err, warned)
			}
		}
	}
}

func TestSettingsThatDecideSilentlyCauseWarnings(t *testing.T) {
	root := t.TempDir()
	forgetest.Write(t, root, ".env", "# FOUNDRY_NO=1\nexport FOUNDRY_SOLC=/x\nFORGE_ALLOW_FAILURE=true\nKEY=FOUNDRY_X=1\n dapp_src = x\n")
	ws := sdk.Workspace{
		Root:   root,
		Env:    map[string]string{"FOUNDRY_FUZZ_RUNS": "1", "FOUNDRY_PROFILE": "ci", "HOME": "/home/x"},
		Probes: configProbe(`{"ffi":true,"match_test":"a","no_match_path":"b","skip":["c"],"fs_permissions":[{"access":"read","path":"r"},{"access":"read-write","path":"/w"}],"fuzz":7}`),
	}
	plan, err := forge.New(forge.Config{}).TestCmd(t.Context(), sdk.TestRequest{Workspace: ws, Selection: sdk.Selection{TestPattern: "x"}, RunnerArgs: []string{"--fail-fast"}})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(plan.Warnings, "\n")
	for _, want := range []string{"ffi", `"/w"`, "FOUNDRY_SOLC, dapp_src", "not passed on to forge: FOUNDRY_FUZZ_RUNS;", "--fail-fast"} {
		if !strings.Contains(got, want) {
			t.Errorf("no warning has %q:\n%s", want, got)
		}
	}
	for _, unwanted := range []string{"match_test =", "FORGE_ALLOW_FAILURE", "FOUNDRY_X", "FOUNDRY_NO", `"r"`, "FOUNDRY_PROFILE,"} {
		if strings.Contains(got, unwanted) {
			t.Errorf("a warning has %q:\n%s", unwanted, got)
		}
	}
	if !slices.Contains(plan.Commands[0].UnsetEnv, "!FOUNDRY_PROFILE") {
		t.Errorf("the profile does not reach forge: %q", plan.Commands[0].UnsetEnv)
	}
	if want := []string{`no_match_path = "b"`, `skip = "c"`}; !slices.Equal(plan.NarrowedBy, want) {
		t.Errorf("narrowed by %q, want %q", plan.NarrowedBy, want)
	}
}

func TestDetectNamesProjectsThatARunLeavesOut(t *testing.T) {
	root := t.TempDir()
	d := forge.New(forge.Config{})
	if got, err := d.Detect(t.Context(), sdk.Workspace{Root: root}); got.Detected || err != nil {
		t.Errorf("an empty directory is %v, %v", got, err)
	}
	for _, name := range []string{"foundry.toml", "packages/a/foundry.toml", "packages/a/deep/foundry.toml", "lib/x/foundry.toml", "node_modules/x/foundry.toml", "out/foundry.toml", "cache/foundry.toml", ".x/foundry.toml", "dir/foundry.toml/x"} {
		forgetest.Write(t, root, name, "")
	}
	if err := os.Symlink(root, filepath.Join(root, "loop")); err != nil {
		t.Fatal(err)
	}
	got, err := d.Detect(t.Context(), sdk.Workspace{Root: root})
	if err != nil || !got.Detected {
		t.Fatalf("%v, %v", got, err)
	}
	var paths []string
	for _, untested := range got.Untested {
		paths = append(paths, untested.Path)
		if untested.Reason != "a separate project" {
			t.Errorf("the reason does not say how to test %s: %s", untested.Path, untested.Reason)
		}
	}
	if slices.Sort(paths); !slices.Equal(paths, []string{"packages/a", "packages/a/deep"}) {
		t.Errorf("untested: %q", paths)
	}
}

func TestAPathThatMatchesNoFileIsRefused(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	forgetest.Write(t, root, "test/A.t.sol", "")
	forgetest.Write(t, root, "lib/forge-std/src/Nope.sol", "")
	for name, says := range map[string]string{
		"test/Nope.t.sol": "there is no file test/Nope.t.sol", "Nope": "there is no file Nope", "test": "write 'test/*'", "test/": "write 'test/*'",
		"test/A.t.sol:12": "leave out :12", filepath.Join(root, "b.sol"): "there is no file",
		"test/A.t.sol": "", "./test/A.t.sol": "", "A.t": "", ".": "", "nope/*": "", filepath.Join(root, "test/A.t.sol"): "",
	} {
		for _, req := range []sdk.TestRequest{{Selection: sdk.Selection{PathPattern: name}}, {RunnerArgs: []string{"--match-path", name}}, {RunnerArgs: []string{name}}} {
			req.Workspace = sdk.Workspace{Root: root, Probes: configProbe(`{"libs":["lib"]}`)}
			_, err := forge.New(forge.Config{}).TestCmd(t.Context(), req)
			_, listErr := forge.New(forge.Config{}).ListCmd(t.Context(), sdk.ListRequest{Workspace: req.Workspace, Selection: req.Selection, RunnerArgs: req.RunnerArgs, Selected: true})
			for _, err := range []error{err, listErr} {
				if refusal := (*sdk.Error)(nil); says == "" && err != nil || says != "" && (!errors.As(err, &refusal) || refusal.Reason != sdk.InvalidSelection || !strings.Contains(refusal.Message, says)) {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

func TestASuiteThatIsNamedBesideAPatternOfContractsIsRefused(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	forgetest.Write(t, root, "test/A.t.sol", "")
	asked := sdk.Selection{PathPattern: "test/A.t.sol:ATest", SuitePattern: "B"}
	if _, err := forge.New(forge.Config{}).TestCmd(t.Context(), sdk.TestRequest{Workspace: sdk.Workspace{Root: root}, Selection: asked}); err == nil || !strings.Contains(err.Error(), "both select contracts") {
		t.Error(err)
	}
}

// Forge follows links, and enters hidden directories.
func TestAWordThatAFileOutOfSightMayContainIsLeftToForge(t *testing.T) {
	t.Parallel()
	linked, hidden, elsewhere := t.TempDir(), t.TempDir(), t.TempDir()
	forgetest.Write(t, elsewhere, "Word.t.sol", "")
	forgetest.Write(t, hidden, ".tests/Word.t.sol", "")
	if err := os.Symlink(elsewhere, filepath.Join(linked, "test")); err != nil {
		t.Skip(err)
	}
	for _, root := range []string{linked, hidden} {
		ws := sdk.Workspace{Root: root, Probes: configProbe(`{"libs":["lib"]}`)}
		if _, err := forge.New(forge.Config{}).TestCmd(t.Context(), sdk.TestRequest{Workspace: ws, Selection: sdk.Selection{PathPattern: "Word"}}); err != nil {
			t.Error(err)
		}
	}
}
