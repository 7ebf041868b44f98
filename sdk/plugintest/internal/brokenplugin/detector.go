package brokenplugin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/proctorhq/proctor/sdk"
)

// Marker is the file that makes a directory a project.
const Marker = "broken.mod"

// Description returns the plugin's identity in a mode.
func Description(mode string) sdk.Description {
	d := sdk.Description{
		Name: mode, Version: "1.2.3", Language: "broken", Markers: []string{Marker}, OutputOf: true, Cover: true, Dependencies: true,
		Selectors: []sdk.Selector{sdk.SelectTestPattern},
	}
	switch mode {
	case "other-name":
		d.Name = "somebody-else"
	case "upper-language":
		d.Language = "Upper"
	case "ignores-suites":
		d.Selectors = []sdk.Selector{sdk.SelectSuites}
	case "new-marker":
		d.Markers = append(d.Markers, "broken.toml")
	case "many-probes":
		for i := range 5 {
			d.Probes = append(d.Probes, sdk.Probe{Name: fmt.Sprint("probe", i), Argv: []string{"true"}})
		}
	case "probes":
		d.Probes = []sdk.Probe{{Name: "where", Argv: []string{"sh", "-c", "pwd; echo $WITH$WITHOUT"}, Env: map[string]string{"WITH": "{root}"}, UnsetEnv: []string{"WITHOUT"}}}
	case "newer-than-manifest":
		d.Version = "1.2.4"
	}
	return d
}

// New returns the detector for a mode.
func New(mode string) sdk.Detector { return detector{mode, new(atomic.Int32)} }

type detector struct {
	mode string
	// drawn makes each answer different.
	drawn *atomic.Int32
}

var (
	_ sdk.Lister          = detector{}
	_ sdk.ProjectDetector = detector{}
)

// Detect looks for the marker.
func (d detector) Detect(_ context.Context, ws sdk.Workspace) (sdk.Detection, error) {
	_, err := os.Stat(filepath.Join(ws.Root, Marker))
	return sdk.Detection{Detected: err == nil || d.mode == "detects-anything"}, nil
}

// TestCmd composes one command.
func (d detector) TestCmd(_ context.Context, req sdk.TestRequest) (sdk.Plan, error) {
	if req.Cover {
		return d.coverPlan(), nil // the faults below concern other runs
	}
	switch d.mode {
	case "writes-workspace":
		_ = os.WriteFile(filepath.Join(req.Workspace.Root, Marker), []byte("changed\n"), 0o600)
	case "no-commands":
		return sdk.Plan{}, nil
	case "probes":
		root := req.Workspace.Root
		if got, want := string(req.Workspace.Probes["where"].Stdout), root+"\n"+root+"\n"; got != want {
			return sdk.Plan{}, &sdk.Error{Reason: sdk.WorkspaceNotSupported, Message: fmt.Sprintf("the probe says %q, want %q", got, want)}
		}
	case "refuses-selections":
		if !req.Selection.IsZero() {
			return sdk.Plan{}, &sdk.Error{Reason: sdk.InvalidSelection, Message: "no such test"}
		}
	case "no-narrow-run":
		if !req.Selection.IsZero() {
			return sdk.Plan{}, &sdk.Error{Reason: sdk.InvalidArguments, Message: "all or nothing"}
		}
	}
	plan := d.plan(nil)
	switch d.mode {
	case "covers-unasked":
		plan.Commands[0] = makeCover(plan.Commands[0])
	case "knows-a-run":
		plan.Commands[0].Known = true
	}
	if suites := req.Selection.Suites; d.mode == "ignores-suites" {
		plan.Commands = append(plan.Commands, sdk.Command{Argv: []string{"runner", "other"}})
		if len(suites) > 0 && suites[0] != suite {
			return sdk.Plan{Warnings: []string{"there is no such suite"}}, nil
		}
	}
	if pattern := req.Selection.TestPattern; pattern != "" && d.mode != "ignores-selections" && len(plan.Commands[0].Argv) > 0 {
		plan.Commands[0].Argv = append(plan.Commands[0].Argv, "-run", pattern)
	}
	return plan, nil
}

// RerunCmd composes one command for all targets.
func (d detector) RerunCmd(_ context.Context, req sdk.RerunRequest) (sdk.Plan, error) {
	if d.mode == "reruns-others" {
		return d.plan([]sdk.TestID{{Suite: "s", Test: "never heard of"}}), nil
	}
	if d.mode == "names-no-target" {
		return d.plan([]sdk.TestID{}), nil
	}
	return d.plan(req.Targets), nil
}

// ListCmd composes one command.
func (d detector) ListCmd(context.Context, sdk.ListRequest) (sdk.Plan, error) {
	return sdk.Plan{Commands: []sdk.Command{{Argv: []string{"runner", "list"}}}}, nil
}

func (d detector) plan(targets []sdk.TestID) sdk.Plan {
	c := sdk.Command{Argv: []string{"runner"}, Targets: targets}
	if targets != nil {
		return sdk.Plan{Commands: []sdk.Command{c}} // the faults below concern TestCmd
	}
	switch d.mode {
	case "shell":
		c.Argv = []string{"cd x && runner"}
	case "no-program":
		c.Argv = nil
	case "leaves-workspace":
		c.Dir = "../elsewhere"
	case "input-path":
		c.Inputs = []sdk.InputFile{{Name: "../file"}}
	case "sets-path":
		c.Env = map[string]string{"PATH": "/elsewhere"}
	}
	return sdk.Plan{Commands: []sdk.Command{c}}
}

// ParseList parses "test NAME" lines.
func (d detector) ParseList(_ context.Context, _ sdk.ListRequest, _ sdk.Command, sink sdk.ListSink) sdk.Parser {
	return &lister{mode: d.mode, LineReader: sdk.NewLineReader(0, func(l sdk.Line) {
		if name, ok := cutWord(l, "test"); ok {
			sink.Suite(sdk.ListedSuite{Suite: suite, Tests: []sdk.ListedTest{{Name: name}}, Opaque: "nothing is told of what it needs"})
		}
		if name, ok := cutWord(l, "part"); ok {
			d.reportPart(name, sink)
		}
	})}
}

// reportPart reports that the suite needs a part, and that the part needs another.
func (d detector) reportPart(name string, sink sdk.ListSink) {
	sink.Suite(sdk.ListedSuite{Suite: suite, Needs: []string{name}})
	p := sdk.ListedPart{Name: name, Files: []string{"src/" + name}, Patterns: []string{"src/*"}, Needs: []string{"tools"}}
	if d.mode == "part-outside" {
		p.Files = []string{"../" + name}
	}
	sink.Part(p)
	if d.mode != "part-untold" {
		sink.Part(sdk.ListedPart{Name: "tools", Files: []string{"/usr/bin/runner"}})
	}
}

type lister struct {
	mode string
	*sdk.LineReader
}

func (l *lister) Write(_ sdk.Stream, data []byte) {
	if l.mode == "list-panics" && len(data) > 0 && data[0] == '{' {
		panic("no list")
	}
	l.LineReader.Write(data)
}

func (l *lister) Close(sdk.Exit) { l.LineReader.Close() }
