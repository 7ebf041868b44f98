package forgetest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
)

const passing = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract PassingTest {
    function test_passes() public pure {}
}
`

func TestTheRealForgeCompilesAndRunsAProjectWithoutANetwork(t *testing.T) {
	root := forgetest.Project(t, map[string]string{"test/Passing.t.sol": passing})
	got := forgetest.Run(t, root, nil, "test", "--json", "-vv")
	if got.Code != 0 || !bytes.Contains(got.Stdout, []byte(`"test_passes()":{"status":"Success"`)) {
		t.Errorf("exit code %d\n%s\n%s", got.Code, got.Stdout, got.Stderr)
	}
}

func TestTheInstalledForgeIsTheVersionThatTheTestsAreWrittenFor(t *testing.T) {
	got := forgetest.Run(t, t.TempDir(), nil, "--version")
	if !bytes.Contains(got.Stdout, []byte(forgetest.Version)) {
		t.Errorf("forge --version says %q, want %s", got.Stdout, forgetest.Version)
	}
}

func TestACopyHoldsTheSourcesAndNotWhatABuildLeft(t *testing.T) {
	dir := t.TempDir()
	forgetest.Write(t, dir, "test/Passing.t.sol", passing)
	forgetest.Write(t, dir, "out/Passing.t.sol/PassingTest.json", "{}")
	forgetest.Write(t, dir, "cache/solidity-files-cache.json", "{}")
	root := forgetest.Copy(t, dir)
	if text, err := os.ReadFile(filepath.Join(root, "test", "Passing.t.sol")); err != nil || string(text) != passing {
		t.Errorf("the copy holds %q, %v", text, err)
	}
	for _, built := range []string{"out", "cache"} {
		if _, err := os.Stat(filepath.Join(root, built)); err == nil {
			t.Errorf("the copy holds %s", built)
		}
	}
}

func TestTheEnvironmentHoldsNothingThatConfiguresForge(t *testing.T) {
	t.Setenv("FOUNDRY_FUZZ_RUNS", "1")
	for _, v := range forgetest.Environment(t) {
		if strings.HasPrefix(v, "FOUNDRY_") {
			t.Errorf("the environment holds %s", v)
		}
	}
}

// refusal takes what a test would end with.
type refusal struct {
	testing.TB
	failed, skipped string
}

func (r *refusal) Helper()        {}
func (r *refusal) Fatal(a ...any) { r.failed = fmt.Sprint(a...); panic(r) }
func (r *refusal) Skip(a ...any)  { r.skipped = fmt.Sprint(a...); panic(r) }

func TestAMissingForgeFailsInCIAndSkipsLoudlyElsewhere(t *testing.T) {
	t.Setenv("PROCTOR_TEST_FORGE", t.TempDir())
	t.Setenv("PROCTOR_TEST", "whole")
	for _, ci := range []string{"", "true"} {
		t.Setenv("CI", ci)
		r := &refusal{TB: t}
		func() {
			defer func() { _ = recover() }()
			forgetest.Tools(r)
		}()
		if failed, skipped := r.failed != "", strings.Contains(r.skipped, "make forge"); failed != (ci == "true") || skipped != (ci == "") {
			t.Errorf("CI=%q: failed %q, skipped %q", ci, r.failed, r.skipped)
		}
	}
}
