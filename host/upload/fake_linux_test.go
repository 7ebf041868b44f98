package upload

import (
	"bytes"
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/server"
)

const fakePrefix = "proctor-plugin-"

// TestMain lets the test binary play plugins, under their names.
func TestMain(m *testing.M) {
	name, ok := strings.CutPrefix(filepath.Base(os.Args[0]), fakePrefix)
	if !ok {
		os.Exit(m.Run())
	}
	d := sdk.Description{
		Name: name, Version: "1.0.0", Language: name, Markers: []string{"project.txt"}, Tools: []string{"sh"},
		Probes: []sdk.Probe{{Name: "where", Argv: []string{"sh", "-c", "cat /proc/sys/kernel/hostname"}}},
	}
	if name == "plain" {
		server.Serve(server.Config{Description: d, Detector: scripts{}})
		return
	}
	server.Serve(server.Config{Description: d, Detector: scaffolding{name: name}})
}

// scripts runs a workspace's run.sh, which prints "ok NAME" or "not ok NAME" for each
// test.
type scripts struct{}

func (scripts) TestCmd(_ context.Context, req sdk.TestRequest) (sdk.Plan, error) {
	return sdk.Plan{
		Commands: []sdk.Command{{
			Argv: []string{"sh", "run.sh", sdk.Scratch + "/input"}, Inputs: []sdk.InputFile{{Name: "input", Data: []byte("given")}},
		}},
		Warnings: []string{"probed in " + strings.TrimSpace(string(req.Workspace.Probes["where"].Stdout))},
	}, nil
}

func (scripts) RerunCmd(context.Context, sdk.RerunRequest) (sdk.Plan, error) {
	return sdk.Plan{Commands: []sdk.Command{{Argv: []string{"sh", "run.sh"}}}}, nil
}

func (scripts) ParseTestFailures(_ context.Context, _ sdk.RunInfo, sink sdk.Sink) sdk.Parser {
	return &scriptParser{sink: sink}
}

type scriptParser struct {
	sink sdk.Sink
	out  bytes.Buffer
}

func (p *scriptParser) Write(which sdk.Stream, data []byte) {
	if which == sdk.Stdout {
		p.out.Write(data)
	}
}

func (p *scriptParser) Close(sdk.Exit) {
	outcome := sdk.SuitePassed
	for line := range strings.Lines(p.out.String()) {
		name, passed := strings.CutPrefix(strings.TrimSpace(line), "ok ")
		failed := false
		if !passed {
			name, failed = strings.CutPrefix(strings.TrimSpace(line), "not ok ")
		}
		id := sdk.TestID{Suite: "s", Test: name}
		switch {
		case passed:
			p.sink.Test(sdk.TestResult{TestID: id, Status: sdk.Passed})
		case failed:
			outcome = sdk.SuiteFailed
			p.sink.Test(sdk.TestResult{TestID: id, Status: sdk.Failed})
			p.sink.Failure(sdk.Failure{TestID: id, Kind: "assertion", Message: name, Repro: sdk.Command{Argv: []string{"sh", "run.sh"}}})
		}
	}
	p.sink.Suite(sdk.SuiteResult{Suite: "s", Outcome: outcome})
}

// scaffolding accepts sources: shell scripts; those of the plugin "other" end in
// .other.
type scaffolding struct {
	scripts
	name string
}

func (d scaffolding) Scaffold(_ context.Context, req sdk.ScaffoldRequest) (sdk.Scaffold, error) {
	s := sdk.Scaffold{
		Files:    []sdk.SourceFile{{Path: "project.txt", Content: []byte("made")}},
		Env:      map[string]string{"FROM_SCAFFOLD": "yes"},
		Warnings: []string{"scaffolded by " + d.name},
	}
	for _, f := range req.Sources {
		if ext := path.Ext(f.Path); ext != ".sh" && ext != "."+d.name && ext != ".txt" {
			return s, &sdk.Error{Reason: sdk.InvalidSources, Message: f.Path + " is not for " + d.name}
		}
	}
	if root := req.Workspace.Root; root != "" {
		s.Links = []sdk.Link{{Path: "lib", Target: filepath.Join(root, "lib")}}
		if d.name == "greedy" {
			s.Links[0].Target = filepath.Dir(root)
		}
	}
	return s, nil
}
