package forge_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/sdk"
)

// trap is a program that leaves a trace of itself.
const trap = "#!/bin/sh\necho \"$0 $*\" >> \"$(dirname \"$0\")/trace\"\nexit 1\n"

// newTrappedProject returns a project with a program at "./trap" that nobody should start.
func newTrappedProject(t *testing.T, files map[string]string) (l *live, detected error) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the trap is a shell script")
	}
	files["test/A.t.sol"] = pinned + "contract ATest { function test_a() public {} }\n"
	l = &live{t: t, detector: newDetector(), env: forgetest.Environment(t)}
	l.ws.Root = forgetest.Project(t, files)
	forgetest.Write(t, l.ws.Root, "trap", trap)
	if err := os.Chmod(filepath.Join(l.ws.Root, "trap"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := l.detector.Detect(t.Context(), l.ws); err != nil {
		return l, err
	}
	return l, nil
}

// trace returns what the trap left.
func (l *live) trace() string {
	text, _ := os.ReadFile(filepath.Join(l.ws.Root, "trace"))
	return string(text)
}

func TestListingStartsNoCompilerOfTheWorkspace(t *testing.T) {
	const profile = "[profile.default]\noffline = true\n"
	for name, test := range map[string]struct {
		files map[string]string
		// refused means that the tests are not listed.
		refused bool
	}{
		"pinned":                   {files: map[string]string{"foundry.toml": forgetest.Config}},
		"none":                     {files: map[string]string{"foundry.toml": profile}},
		"solc":                     {files: map[string]string{"foundry.toml": profile + "solc = './trap'\n"}, refused: true},
		"solc_version":             {files: map[string]string{"foundry.toml": profile + "solc_version = 'trap'\n"}, refused: true},
		"absolute by /proc":        {files: map[string]string{"foundry.toml": profile + "solc = '/proc/self/cwd/trap'\n"}, refused: true},
		"one that is not there":    {files: map[string]string{"foundry.toml": profile + "solc = './none'\n"}},
		"another profile":          {files: map[string]string{"foundry.toml": forgetest.Config + "[profile.other]\nsolc = './trap'\n"}},
		"the profile of .env":      {files: map[string]string{"foundry.toml": profile + "[profile.OTHER]\nsolc = './trap'\n", ".env": "FOUNDRY_PROFILE=other\n"}, refused: true},
		"the notation of old":      {files: map[string]string{"foundry.toml": "[default]\nsolc = './trap'\n"}, refused: true},
		"in a table in line":       {files: map[string]string{"foundry.toml": "profile = { default = { solc = './trap' } }\n"}, refused: true},
		"extended":                 {files: map[string]string{"foundry.toml": profile + "extends = 'base.toml'\n", "base.toml": "[profile.default]\nsolc = './trap'\n"}, refused: true},
		"of .env":                  {files: map[string]string{"foundry.toml": forgetest.Config, ".env": "export FOUNDRY_SOLC='./trap'\n"}, refused: true},
		"of .env, put together":    {files: map[string]string{"foundry.toml": forgetest.Config, ".env": "A=trap\nFOUNDRY_SOLC=./$A\n"}, refused: true},
		"of .env, as it was":       {files: map[string]string{"foundry.toml": profile, ".env": "DAPP_SOLC=./trap\n"}, refused: true},
		"of .env, other letters":   {files: map[string]string{"foundry.toml": forgetest.Config, ".env": "Foundry_Solc=./trap\n"}, refused: true},
		"of .env, far behind":      {files: map[string]string{"foundry.toml": forgetest.Config, ".env": strings.Repeat("# a long comment\n", 20_000) + "Foundry_Solc=./trap\n"}, refused: true},
		"of another configuration": {files: map[string]string{"foundry.toml": profile, ".env": "FOUNDRY_CONFIG=o.toml\n", "o.toml": profile + "solc = './trap'\n"}, refused: true},
		"vyper":                    {files: map[string]string{"foundry.toml": forgetest.Config + "[profile.default.vyper]\npath = './trap'\n", "src/A.vy": "# pragma version 0.4.0\n"}, refused: true},
		"a library's": {files: map[string]string{"foundry.toml": profile, "lib/x/foundry.toml": profile, "lib/x/src/X.sol": pinned,
			"lib/x/lib/y/foundry.toml": profile + "solc = './trap'\n"}, refused: true},
		"a library's beside a version": {files: map[string]string{"foundry.toml": forgetest.Config, "lib/x/foundry.toml": profile + "solc = './trap'\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := newTrappedProject(t, test.files)
			if err == nil {
				l.setenv() // asks the probes
				var plan sdk.Plan
				plan, err = l.detector.ListCmd(t.Context(), sdk.ListRequest{Workspace: l.ws, Dependencies: true})
				for _, c := range plan.Commands {
					l.execute(c)
				}
			}
			if trace := l.trace(); trace != "" {
				t.Errorf("the trap was started: %s", trace)
			}
			var refusal *sdk.Error
			if refused := errors.As(err, &refusal); refused != test.refused || err != nil && !refused {
				t.Errorf("refused: %v", err)
			}
		})
	}
}

func TestListingLetsGitStartNothing(t *testing.T) {
	t.Parallel()
	l, err := newTrappedProject(t, map[string]string{})
	if err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", l.ws.Root, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-qm", "x")
	git("submodule", "add", "-q", l.ws.Root, "lib/x")
	git("config", "core.fsmonitor", filepath.Join(l.ws.Root, "trap"))
	l.setenv()
	list := l.list(sdk.ListRequest{})
	if trace := l.trace(); trace != "" {
		t.Errorf("git started what its configuration names: %s", trace)
	}
	if len(list.suites) != 1 {
		t.Errorf("suites %v", list.suites)
	}
}
