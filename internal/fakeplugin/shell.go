package fakeplugin

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// ShellTests ends the names of files with tests that a plugin with [Script.Shell] runs. A
// file is a suite; each of its lines is the name of a test, and the shell command that it is.
// The test passes if that exits with 0, and otherwise fails with what it printed, in lines.
const ShellTests = ".tests"

// Files of a workspace that a plugin with [Script.Shell] reads, and what makes it fail.
const (
	// ShellCheck holds the shell command of the check before the tests. Each line of what it
	// prints is the name of a suite, and why that is not built.
	ShellCheck = "check.sh"
	// ShellList holds the shell command of a listing, whose output and exit the plugin ignores.
	ShellList = "list.sh"
	// ShellPanics begins a line of output over which the plugin panics, once for each
	// directory that the line ends with: it makes that.
	ShellPanics = "the plugin panics and makes "
	// ShellHangs is a line of output after which the plugin reads nothing.
	ShellHangs = "the plugin hangs"
)

// runShellTests takes a place, a name and a command of each test.
const runShellTests = `red=0
while [ $# -gt 0 ]; do
	echo "begin $1 $2"
	(eval "$3")
	exit=$?
	[ $exit = 0 ] || red=1
	echo "end $exit"
	shift 3
done
exit $red
`

type shellTest struct {
	sdk.TestID
	sdk.Location
	command string
}

// shellTests returns the tests of a project, but not those of projects within it.
func shellTests(root string) (tests []shellTest, err error) {
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(file, marker))
			if file != root && (err == nil || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		name := filepath.ToSlash(strings.TrimPrefix(file, root+string(filepath.Separator)))
		suite, ok := strings.CutSuffix(name, ShellTests)
		if !ok {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
			test, command, _ := strings.Cut(line, " ")
			tests = append(tests, shellTest{sdk.TestID{Suite: suite, Test: test}, sdk.Location{File: name, Line: i + 1}, command})
		}
		return nil
	})
	return tests, err
}

// shellDetector runs the tests that shell commands are.
type shellDetector struct{}

func (shellDetector) Detect(_ context.Context, ws sdk.Workspace) (d sdk.Detection, err error) {
	err = filepath.WalkDir(ws.Root, func(file string, _ fs.DirEntry, err error) error {
		if filepath.Base(file) != marker || err != nil {
			return err
		}
		below := strings.Trim(filepath.ToSlash(strings.TrimPrefix(filepath.Dir(file), ws.Root)), "/")
		if below == "" {
			d.Detected = true
			return nil
		}
		d.Untested = append(d.Untested, sdk.Untested{Path: below, Reason: "a project of its own"})
		return nil
	})
	return d, err
}

func describeShell(d *sdk.Description) {
	d.Tools, d.OutputOf = []string{"sh"}, true
	d.Selectors = []sdk.Selector{sdk.SelectSuites, sdk.SelectTestPattern}
}

func planShell(tests []shellTest, targets []sdk.TestID) sdk.Plan {
	argv := []string{"sh", "-c", runShellTests, "sh"}
	for _, t := range tests {
		argv = append(argv, fmt.Sprintf("%s:%d", t.File, t.Line), t.Test, t.command)
	}
	return sdk.Plan{Commands: []sdk.Command{{Argv: argv, Targets: targets}}}
}

func (shellDetector) TestCmd(_ context.Context, req sdk.TestRequest) (sdk.Plan, error) {
	tests, err := selectShell(req.Workspace.Root, req.Selection)
	plan := planShell(tests, nil)
	if check, err := os.ReadFile(filepath.Join(req.Workspace.Root, ShellCheck)); err == nil {
		plan.Check = &sdk.Command{Argv: []string{"sh", "-c", string(check)}, Prepares: true}
	}
	return plan, err
}

func selectShell(root string, s sdk.Selection) ([]shellTest, error) {
	pattern, err := regexp.Compile(s.TestPattern)
	if err != nil {
		return nil, err
	}
	tests, err := shellTests(root)
	return slices.DeleteFunc(tests, func(t shellTest) bool {
		isIn := func(suite string) bool {
			suite = strings.TrimPrefix(suite, "./")
			below, isTree := strings.CutSuffix(suite, "...")
			return suite == t.Suite || suite == path.Dir(t.Suite) || isTree && strings.HasPrefix(t.Suite, below)
		}
		return !pattern.MatchString(t.Test) || len(s.Suites) > 0 && !slices.ContainsFunc(s.Suites, isIn)
	}), err
}

func (shellDetector) RerunCmd(_ context.Context, req sdk.RerunRequest) (sdk.Plan, error) {
	tests, err := shellTests(req.Workspace.Root)
	var found []sdk.TestID
	tests = slices.DeleteFunc(tests, func(t shellTest) bool {
		i := slices.IndexFunc(req.Targets, func(id sdk.TestID) bool {
			return id.Suite == "" || id.Suite == t.Suite && (id.Test == "" || id.Test == t.Test)
		})
		if i >= 0 && !slices.Contains(found, req.Targets[i]) {
			found = append(found, req.Targets[i])
		}
		return i < 0
	})
	if len(tests) == 0 {
		return sdk.Plan{}, err
	}
	return planShell(tests, found), err
}

func (shellDetector) ListCmd(_ context.Context, req sdk.ListRequest) (sdk.Plan, error) {
	if command, err := os.ReadFile(filepath.Join(req.Workspace.Root, ShellList)); err == nil {
		return sdk.Plan{Commands: []sdk.Command{{Argv: []string{"sh", "-c", string(command)}}}}, nil
	}
	return planShell(nil, nil), nil
}

func (shellDetector) ParseList(_ context.Context, req sdk.ListRequest, _ sdk.Command, sink sdk.ListSink) sdk.Parser {
	return shellList{req, sink}
}

type shellList struct {
	req  sdk.ListRequest
	sink sdk.ListSink
}

func (shellList) Write(sdk.Stream, []byte) {}

func (l shellList) Close(sdk.Exit) {
	tests, err := selectShell(l.req.Workspace.Root, l.req.Selection)
	if err != nil {
		l.sink.Error(err.Error())
	}
	for len(tests) > 0 {
		suite := sdk.ListedSuite{Suite: tests[0].Suite}
		for len(tests) > 0 && tests[0].Suite == suite.Suite {
			suite.Tests = append(suite.Tests, sdk.ListedTest{Name: tests[0].Test, Location: tests[0].Location})
			tests = tests[1:]
		}
		l.sink.Suite(suite)
	}
}

func (shellDetector) ParseTestFailures(_ context.Context, run sdk.RunInfo, sink sdk.Sink) sdk.Parser {
	return &shellParser{run: run, sink: sink, suites: map[string]sdk.SuiteOutcome{}}
}

type shellParser struct {
	run  sdk.RunInfo
	sink sdk.Sink
	// rest is the beginning of a line.
	rest    []byte
	current *shellTest
	output  []byte
	order   []string
	suites  map[string]sdk.SuiteOutcome
	done    sdk.Progress
}

func (p *shellParser) Write(stream sdk.Stream, data []byte) {
	if stream != sdk.Stdout {
		return
	}
	p.rest = append(p.rest, data...)
	for {
		line, rest, ok := bytes.Cut(p.rest, []byte("\n"))
		if !ok {
			return
		}
		p.rest = rest
		p.read(string(line))
	}
}

func (p *shellParser) read(line string) {
	if dir, ok := strings.CutPrefix(line, ShellPanics); ok && os.Mkdir(dir, 0o700) == nil {
		go panic(line)
		select {}
	}
	if line == ShellHangs {
		select {}
	}
	if p.run.Command.Prepares {
		suite, why, _ := strings.Cut(line, " ")
		p.sink.Suite(sdk.SuiteResult{Suite: suite, Outcome: sdk.SuiteBuildFailed, Reason: why})
		return
	}
	if at, ok := strings.CutPrefix(line, "begin "); ok && p.current == nil {
		end := strings.LastIndex(at, " ")
		file, number, _ := strings.Cut(at[:end], ":")
		t := &shellTest{Location: sdk.Location{File: file}}
		t.Line, _ = strconv.Atoi(number)
		t.TestID = sdk.TestID{Suite: strings.TrimSuffix(file, ShellTests), Test: at[end+1:]}
		if p.suites[t.Suite] == 0 {
			p.order, p.suites[t.Suite] = append(p.order, t.Suite), sdk.SuitePassed
		}
		p.current, p.output = t, nil
		return
	}
	if p.current == nil {
		return
	}
	if exit, ok := strings.CutPrefix(line, "end "); ok {
		p.end(exit)
		return
	}
	p.output = append(p.output, line+"\n"...)
	if p.run.OutputOf == p.current.TestID {
		p.sink.Output([]byte(line + "\n"))
	}
}

func (p *shellParser) end(exit string) {
	t := p.current
	p.current = nil
	result := sdk.TestResult{TestID: t.TestID, Status: sdk.Passed, Location: t.Location}
	p.done.Passed++
	if exit != "0" {
		result.Status, p.suites[t.Suite] = sdk.Failed, sdk.SuiteFailed
		p.done.Passed--
		p.done.Failed++
	}
	p.sink.Test(result)
	if exit != "0" {
		p.sink.Failure(sdk.Failure{TestID: t.TestID, Kind: sdk.KindAssertion, Location: t.Location, Message: strings.TrimSpace(string(p.output))})
	}
}

func (p *shellParser) Progress() sdk.Progress {
	now := p.done
	if p.current != nil {
		now.Running, now.RunningTotal = []sdk.RunningTest{{ID: p.current.TestID}}, 1
		now.SuitesRunning = []string{p.current.Suite}
	}
	return now
}

func (p *shellParser) Close(sdk.Exit) {
	if t := p.current; t != nil {
		p.sink.Test(sdk.TestResult{TestID: t.TestID, Status: sdk.Unfinished, Location: t.Location})
		p.sink.Failure(sdk.Failure{TestID: t.TestID, Kind: sdk.KindSignal, Location: t.Location, Message: "it was running when the shell ended"})
		p.suites[t.Suite] = sdk.SuiteAborted
	}
	for _, suite := range p.order {
		p.sink.Suite(sdk.SuiteResult{Suite: suite, Outcome: p.suites[suite]})
	}
}
