package forge_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge"
	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/sdk"
)

// live is a project and the real forge, with as much of a host as commands need.
type live struct {
	t        *testing.T
	detector *forge.Detector
	ws       sdk.Workspace
	// env is the environment of the host's user.
	env []string
}

func newLive(t *testing.T, files map[string]string) *live {
	t.Helper()
	l := &live{t: t, detector: newDetector(), env: forgetest.Environment(t)}
	l.ws = sdk.Workspace{Root: forgetest.Project(t, files)}
	l.setenv()
	return l
}

// setenv adds to the user's environment, and asks the probes under it.
func (l *live) setenv(variables ...string) {
	l.t.Helper()
	l.env = append(l.env, variables...)
	l.ws.Env, l.ws.Probes = map[string]string{}, map[string]sdk.ProbeOutput{}
	for _, name := range l.detector.Description().Env {
		for _, v := range l.env {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				l.ws.Env[name] = value
			}
		}
	}
	for _, probe := range l.detector.Description().Probes {
		out := l.execute(sdk.Command{Argv: probe.Argv, Env: probe.Env, UnsetEnv: probe.UnsetEnv})
		l.ws.Probes[probe.Name] = sdk.ProbeOutput{Stdout: out.Stdout, Stderr: string(out.Stderr), ExitCode: out.Code}
	}
}

// execute runs a command like a host.
func (l *live) execute(c sdk.Command) forgetest.Result {
	l.t.Helper()
	env := slices.DeleteFunc(slices.Clone(l.env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return !slices.Contains(c.UnsetEnv, "!"+name) && slices.ContainsFunc(c.UnsetEnv, func(pattern string) bool {
			prefix, wild := strings.CutSuffix(pattern, "*")
			return wild && strings.HasPrefix(name, prefix) || pattern == name
		})
	})
	for name, value := range c.Env {
		env = append(env, name+"="+strings.ReplaceAll(value, sdk.Root, l.ws.Root))
	}
	program := c.Argv[0]
	if program == "forge" {
		bin, _ := forgetest.Tools(l.t)
		program = bin + "/forge"
	}
	cmd := exec.CommandContext(l.t.Context(), program, c.Argv[1:]...)
	cmd.Dir, cmd.Env = l.ws.Root, append(env, "PWD="+l.ws.Root)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the exit code tells
	return forgetest.Result{Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), Code: cmd.ProcessState.ExitCode()}
}

// observe runs tests and returns what the plugin reports.
func (l *live) observe(seed string, args ...string) *observed {
	l.t.Helper()
	plan, err := l.detector.TestCmd(l.t.Context(), sdk.TestRequest{Workspace: l.ws, Seed: seed, RunnerArgs: args})
	if err != nil {
		l.t.Fatal(err)
	}
	got := &observed{Conditions: map[string]string{}}
	for _, c := range plan.Commands {
		p := l.detector.ParseTestFailures(l.t.Context(), sdk.RunInfo{Workspace: l.ws, Command: c}, got) // before the command, like a host
		out := l.execute(c)
		p.Write(sdk.Stdout, out.Stdout)
		p.Write(sdk.Stderr, out.Stderr)
		p.Close(sdk.Exit{Code: out.Code})
		if c.Prepares && out.Code != 0 {
			break
		}
	}
	return got
}

// results runs a command and returns the status of each test, read without the plugin's
// own parser.
func (l *live) results(c sdk.Command) (map[sdk.TestID]string, forgetest.Result) {
	l.t.Helper()
	got := l.execute(c)
	statuses := map[sdk.TestID]string{}
	for line := range bytes.Lines(got.Stdout) {
		var document map[string]struct {
			Results map[string]struct{ Status string } `json:"test_results"`
		}
		if json.Unmarshal(line, &document) != nil {
			continue
		}
		for suite, s := range document {
			for name, result := range s.Results {
				statuses[sdk.TestID{Suite: suite, Test: name}] = result.Status
			}
		}
	}
	return statuses, got
}

// rerun runs a rerun's commands and returns how often each test ran.
func (l *live) rerun(req sdk.RerunRequest) (ran map[sdk.TestID]int, plan sdk.Plan) {
	l.t.Helper()
	req.Workspace = l.ws
	plan, err := l.detector.RerunCmd(l.t.Context(), req)
	if err != nil {
		l.t.Fatal(err)
	}
	ran = map[sdk.TestID]int{}
	for _, c := range plan.Commands {
		statuses, _ := l.results(c)
		for id := range statuses {
			ran[id]++
		}
	}
	return ran, plan
}

// run runs everything.
func (l *live) run(req sdk.TestRequest) (map[sdk.TestID]string, sdk.Plan, forgetest.Result) {
	l.t.Helper()
	req.Workspace = l.ws
	plan, err := l.detector.TestCmd(l.t.Context(), req)
	if err == nil && len(plan.Commands) == 2 && plan.Commands[0].Prepares {
		l.execute(plan.Commands[0])
		plan.Commands = plan.Commands[1:]
	}
	if err != nil || len(plan.Commands) != 1 {
		l.t.Fatalf("%d commands, error %v", len(plan.Commands), err)
	}
	statuses, got := l.results(plan.Commands[0])
	return statuses, plan, got
}

func testIDs(statuses map[sdk.TestID]string) []sdk.TestID {
	return slices.SortedFunc(maps.Keys(statuses), func(a, b sdk.TestID) int {
		return strings.Compare(a.Suite+" "+a.Test, b.Suite+" "+b.Test)
	})
}

// contractSource returns a source of contracts with empty tests, such as
// "A x() y(uint256)".
func contractSource(contracts ...string) string {
	var b strings.Builder
	b.WriteString("// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\n")
	for _, words := range contracts {
		name, tests, _ := strings.Cut(words, " ")
		b.WriteString("contract " + name + " {\n")
		for test := range strings.FieldsSeq(tests) {
			b.WriteString("    function " + test + " public {}\n")
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func newDetector() *forge.Detector { return forge.New(forge.Config{Version: "test"}) }
