package fakeplugin

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/server"
)

// Files of a workspace that the plugins read.
const (
	// CommandFile holds the commands that run the tests, one word a line, with an empty line
	// between two. The default is "go version". Only the first reports anything.
	CommandFile = "fake-command"
	// ReportFile holds the [Report] of the next run.
	ReportFile = "fake-report"
)

// Script is what a plugin does. With the zero Script it has one test, which passes if the
// command printed something.
type Script struct {
	// Says, if set, is all that the program prints: it is not a plugin.
	Says string
	// Hangs keeps it from greeting the host.
	Hangs bool
	// Tools are the programs that it needs; empty means go.
	Tools []string
	// Panic, if set, makes it panic with this text when it reads output.
	Panic string
	// Silent keeps it from reporting anything.
	Silent bool
	// Report is what it reports, unless it is empty.
	Report Report
	// Shell makes it run real tests: the files that end with [ShellTests]. Of the other
	// fields only Says and Hangs apply.
	Shell bool
}

// Report is what a plugin reports of a run. A suite has the worst outcome of its tests.
type Report struct {
	Conditions map[string]string `json:"conditions"`
	Tests      []sdk.TestResult  `json:"tests"`
	// Elapsed says how long tests took, by name.
	Elapsed map[string]time.Duration `json:"elapsed"`
	// Failures belong to tests; a failed test without one has a failure without a message.
	Failures []sdk.Failure `json:"failures"`
	RunError string        `json:"run_error"`
}

// Encode returns the report as JSON, for [ReportFile].
func (r Report) Encode() string {
	raw, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

const (
	prefix     = "proctor-plugin-"
	scriptFile = ".script" // appended to the program's path
	marker     = "go.mod"
)

// New makes a plugin outside of any workspace, and returns the path of its program: a link
// to the test binary.
func New(t testing.TB, name string, script Script) (path string) {
	t.Helper()
	if script.Shell && runtime.GOOS == "windows" {
		t.Skip("no shell here")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), prefix+name)
	if err := os.Symlink(self, path); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	// JSON cannot hold texts that are not UTF-8.
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(script); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+scriptFile, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Serve is the main function of the plugins, for TestMain. It returns false in a process
// that is not a plugin. A program without a script has the zero Script.
func Serve() bool {
	name, ok := strings.CutPrefix(filepath.Base(os.Args[0]), prefix)
	if !ok {
		return false
	}
	var script Script
	if raw, err := os.ReadFile(os.Args[0] + scriptFile); err == nil {
		if err := gob.NewDecoder(bytes.NewReader(raw)).Decode(&script); err != nil {
			panic(err)
		}
	}
	if script.Says != "" {
		fmt.Println(script.Says)
		return true
	}
	if script.Hangs {
		time.Sleep(time.Hour)
	}
	d := sdk.Description{Name: name, Version: "1.0.0", Language: name, Markers: []string{marker}, Tools: script.Tools}
	if len(d.Tools) == 0 {
		d.Tools = []string{"go"}
	}
	var works sdk.Detector = detector{script}
	if script.Shell {
		describeShell(&d)
		works = shellDetector{}
	}
	server.Serve(server.Config{Description: d, Detector: works})
	return true
}

type detector struct{ script Script }

func plan(w sdk.Workspace) (sdk.Plan, error) {
	commands := "go\nversion"
	if raw, err := os.ReadFile(filepath.Join(w.Root, CommandFile)); err == nil {
		commands = strings.TrimSuffix(string(raw), "\n")
	}
	var p sdk.Plan
	for command := range strings.SplitSeq(commands, "\n\n") {
		p.Commands = append(p.Commands, sdk.Command{Argv: strings.Split(command, "\n")})
	}
	return p, nil
}

func (d detector) TestCmd(_ context.Context, req sdk.TestRequest) (sdk.Plan, error) {
	return plan(req.Workspace)
}

func (d detector) RerunCmd(_ context.Context, req sdk.RerunRequest) (sdk.Plan, error) {
	return plan(req.Workspace)
}

func (d detector) ParseTestFailures(_ context.Context, run sdk.RunInfo, sink sdk.Sink) sdk.Parser {
	if first, err := plan(run.Workspace); err == nil && len(run.Command.Argv) > 0 && !slices.Equal(run.Command.Argv, first.Commands[0].Argv) {
		d.script.Silent = true
	}
	return &parser{script: d.script, root: run.Workspace.Root, sink: sink}
}

type parser struct {
	script Script
	root   string
	sink   sdk.Sink
	// heard reports whether the command printed anything: without output, nothing passes.
	heard bool
}

func (p *parser) Write(sdk.Stream, []byte) {
	p.heard = true
	if p.script.Panic != "" {
		go panic(p.script.Panic)
		select {}
	}
}

func (p *parser) Close(sdk.Exit) {
	if p.script.Silent {
		return
	}
	r := p.script.Report
	if raw, err := os.ReadFile(filepath.Join(p.root, ReportFile)); err == nil {
		if err := json.Unmarshal(raw, &r); err != nil {
			p.sink.RunError(err.Error())
			return
		}
	}
	if len(r.Tests) == 0 && r.RunError == "" {
		r.Tests = []sdk.TestResult{{TestID: sdk.TestID{Suite: "s", Test: "t"}, Status: sdk.Failed}}
		if p.heard {
			r.Tests[0].Status = sdk.Passed
		}
	}
	p.report(r)
}

func (p *parser) report(r Report) {
	for name, value := range r.Conditions {
		p.sink.Condition(name, value)
	}
	suites := map[string]sdk.SuiteOutcome{}
	for _, t := range r.Tests {
		t.Elapsed = r.Elapsed[t.Test]
		p.sink.Test(t)
		suites[t.Suite] = max(suites[t.Suite], sdk.SuitePassed)
		if t.Status != sdk.Failed {
			continue
		}
		suites[t.Suite] = sdk.SuiteFailed
		if !slices.ContainsFunc(r.Failures, func(f sdk.Failure) bool { return f.TestID == t.TestID }) {
			p.sink.Failure(sdk.Failure{TestID: t.TestID, Kind: sdk.KindAssertion})
		}
	}
	for _, f := range r.Failures {
		p.sink.Failure(f)
	}
	for _, suite := range slices.Sorted(maps.Keys(suites)) {
		p.sink.Suite(sdk.SuiteResult{Suite: suite, Outcome: suites[suite]})
	}
	if r.RunError != "" {
		p.sink.RunError(r.RunError)
	}
}
