package plugintest_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// envFlaw makes TestHeldAgainst check a detector with the named flaw.
const envFlaw = "PLUGINTEST_FLAW"

// flawed is a detector that breaks at most one rule. Its runner prints "ok X"
// and "bad X" lines.
type flawed struct{ flaw string }

func (f flawed) plan(targets []sdk.TestID) sdk.Plan {
	c := sdk.Command{Argv: []string{"run"}, Targets: targets}
	switch f.flaw {
	case "shell":
		c.Argv = []string{"cd x && run"}
	case "no program":
		c.Argv = nil
	case "escape":
		c.Dir = "../elsewhere"
	case "input path":
		c.Inputs = []sdk.InputFile{{Name: "../file"}}
	case "other target":
		c.Targets = []sdk.TestID{{Name: "never heard of"}}
	}
	return sdk.Plan{Commands: []sdk.Command{c}}
}

func (f flawed) TestCmd(context.Context, sdk.TestRequest) (sdk.Plan, error) { return f.plan(nil), nil }

func (f flawed) RerunCmd(_ context.Context, req sdk.RerunRequest) (sdk.Plan, error) {
	return f.plan(req.Targets), nil
}

func (f flawed) ParseTestFailures(_ context.Context, _ sdk.RunInfo, sink sdk.Sink) sdk.Parser {
	p := &parser{flaw: f.flaw, sink: sink}
	p.lines = sdk.NewLineReader(0, p.line)
	return p
}

type parser struct {
	flaw  string
	sink  sdk.Sink
	lines *sdk.LineReader
	seen  int
}

func (p *parser) Write(_ sdk.Stream, data []byte) {
	switch p.flaw {
	case "chunks":
		for l := range bytes.SplitSeq(data, []byte("\n")) { // each chunk for itself
			p.line(sdk.Line{Text: l})
		}
		return
	case "panic":
		if bytes.IndexByte(data, 0) >= 0 {
			panic("a NUL")
		}
	}
	p.lines.Write(data)
}

func (p *parser) line(l sdk.Line) {
	word, name, _ := strings.Cut(string(l.Text), " ")
	id := sdk.TestID{Suite: "s", Name: name}
	switch {
	case word == "ok" && !l.Unended:
		p.seen++
		p.sink.Test(sdk.TestResult{ID: id, Status: sdk.Passed})
	case word == "bad" && !l.Unended:
		p.seen++
		p.sink.Test(sdk.TestResult{ID: id, Status: sdk.Failed})
	}
}

func (p *parser) Close(exit sdk.Exit) {
	p.lines.Close()
	if p.flaw == "optimist" && (exit.Code == 0 || p.seen > 0) {
		p.sink.Test(sdk.TestResult{ID: sdk.TestID{Suite: "s", Name: "the rest" + string(rune('a'+p.seen))}, Status: sdk.Passed})
	}
}

// TestHeldAgainst runs the kit on a detector without a flaw, or in a process of
// its own with one.
func TestHeldAgainst(t *testing.T) {
	description := sdk.Description{Name: "flawed", Version: "1", Language: "flawed"}
	flaw := os.Getenv(envFlaw)
	if flaw == "name" {
		description.Name = "Not A Name"
	}
	if flaw == "language" {
		description.Language = "Upper"
	}
	plugintest.Run(t, plugintest.Config{
		Description: description, Detector: flawed{flaw}, Workspace: sdk.Workspace{Root: t.TempDir()},
		Recordings: []plugintest.Recording{
			plugintest.Stdout("mixed", []byte("ok one\nbad two\nok three\nok four\n"), sdk.Exit{Code: 1}),
		},
	})
}

func TestEveryFlawIsFound(t *testing.T) {
	if os.Getenv(envFlaw) != "" {
		t.Skip("this is the process with the flaw")
	}
	for flaw, check := range map[string]string{
		"name":         "describes itself",
		"language":     "describes itself",
		"shell":        "composes commands that need no shell",
		"no program":   "composes commands that need no shell",
		"escape":       "composes commands that need no shell",
		"input path":   "composes commands that need no shell",
		"other target": "composes reruns of what failed",
		"chunks":       "reports the same however the output is split",
		"panic":        "survives any output",
		"optimist":     "survives output cut anywhere",
	} {
		t.Run(flaw, func(t *testing.T) {
			t.Parallel()
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestHeldAgainst$")
			cmd.Env = append(os.Environ(), envFlaw+"="+flaw)
			out, err := cmd.CombinedOutput()
			want := "--- FAIL: TestHeldAgainst/" + strings.ReplaceAll(check, " ", "_")
			if err == nil || !strings.Contains(string(out), want) {
				t.Errorf("%v, want %q in:\n%s", err, want, out)
			}
		})
	}
}
