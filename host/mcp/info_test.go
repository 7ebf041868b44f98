package mcp

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

func TestWorkspaceInfoSaysWhatARunWouldDoAndWithWhat(t *testing.T) {
	t.Parallel()
	s := placeTree(t)
	r := s.connect(t).call(t, "workspace_info", nil)
	var info infoObject
	r.into(t, &info)
	if info.Workspace != s.dir || info.FoundBy != byWorkingDir || info.Version != "test" || info.SessionID != "client1" || info.Records != "" {
		t.Errorf("the object is %s", r.raw)
	}
	if len(info.Projects) != 1 || info.Projects[0].Language != "go" || len(info.Projects[0].Commands) == 0 || !filepath.IsAbs(info.Projects[0].Tools["go"]) {
		t.Errorf("the projects are %+v", info.Projects)
	}
	if len(info.Plugins) != 1 || info.Plugins[0].Path == "" || len(info.Problems) > 0 || len(info.Running) > 0 {
		t.Errorf("the object is %s", r.raw)
	}
	for _, want := range []string{"workspace   " + s.dir + " (found by: working directory)", "records     none yet", "would run go test", info.Projects[0].Tools["go"], "session     client1"} {
		if !strings.Contains(r.text(), want) {
			t.Errorf("%q is not in %q", want, r.texts)
		}
	}
}

func TestWorkspaceInfoNamesRunsInProgressAndWhatIsOutstanding(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestHeld", held, "TestRed", bad)})
	release := s.hold(t)
	one, two := s.connect(t), s.connect(t)
	running := one.call(t, "run_tests", map[string]any{"wait": 0.01}).str("run_id")
	until(t, "the first run", s.isHeld)
	queued := two.call(t, "run_tests", map[string]any{"wait": 0.01}).str("run_id")
	var info infoObject
	r := two.call(t, "workspace_info", nil)
	until(t, "the second run's waiting", func() bool {
		r = two.call(t, "workspace_info", nil)
		info = infoObject{}
		r.into(t, &info)
		return len(info.Queued) > 0
	})
	if len(info.Running) != 1 || info.Running[0].RunID != running || info.Running[0].SessionID != "client1" || info.Running[0].Language != fakeShell {
		t.Errorf("running are %+v, want %s", info.Running, running)
	}
	if len(info.Queued) != 1 || info.Queued[0].RunID != queued || info.Queued[0].WaitsFor != running {
		t.Errorf("queued are %+v, want %s", info.Queued, queued)
	}
	for _, want := range []string{"run " + running + " of session client1, shell, for ", "run " + queued + " of this session waits for run " + running} {
		if !strings.Contains(r.text(), want) {
			t.Errorf("%q is not in %q", want, r.texts)
		}
	}
	release()
	two.call(t, "get_run", map[string]any{"wait": 60})
	r = one.call(t, "workspace_info", nil)
	info = infoObject{}
	r.into(t, &info)
	if info.Outstanding != 1 || len(info.Running) > 0 || info.Records == "" || !strings.Contains(r.text(), "outstanding 1 test: ") {
		t.Errorf("after a failure the object is %s, the text %q", r.raw, r.texts)
	}
}

// A broken part is reported, and so is everything else.
func TestWorkspaceInfoSaysWhatIsWrongAsWellAsWhatIsRight(t *testing.T) {
	t.Parallel()
	s := newSite(t, files{"a_test.go": "package a\n"}, withPlugin(t, fakeNoTool))
	r := s.connect(t).call(t, "workspace_info", nil)
	if r.failed || !strings.Contains(r.text(), "no-such-program-for-proctor was not found; install it") || !strings.Contains(r.text(), "would run go test") {
		t.Errorf("isError %v, the text is %q", r.failed, r.texts)
	}
	gone := newSite(t, files{"a_test.go": "package a\n"}, withoutGo())
	r = gone.connect(t).call(t, "workspace_info", nil)
	var info infoObject
	r.into(t, &info)
	if r.failed || len(info.Problems) == 0 || len(info.Searched) == 0 || !strings.Contains(r.text(), "problem     ") {
		t.Errorf("without plugins: isError %v, the object is %s", r.failed, r.raw)
	}
}

func TestWorkspaceInfoWithoutAWorkspaceReportsTheRest(t *testing.T) {
	t.Parallel()
	s := placeTree(t, withPlace(inRoot))
	c := s.connect(t)
	r := c.call(t, "workspace_info", nil)
	r.says(t, "no supported project detected in workspace root", false)
	var info infoObject
	r.into(t, &info)
	if info.Workspace != "" || len(info.Plugins) != 1 || len(info.Problems) != 1 || !strings.Contains(info.Problems[0].Text, "PROCTOR_WORKSPACE: not set") || !strings.Contains(r.text(), "PROCTOR_WORKSPACE: not set") {
		t.Errorf("the object is %s, the text %q", r.raw, r.texts)
	}
	// A workspace that the call names must exist.
	if r := c.call(t, "workspace_info", map[string]any{"workspace": filepath.Join(s.dir, "gone")}); !r.failed {
		t.Errorf("a directory that is not there: %q", r.texts)
	}
}

func TestWorkspaceInfoWithManyProblemsStaysWithinItsBudget(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\"<x>\n\x1b[31m", 1<<10)
	var many []string
	for i := range 50 {
		many = append(many, fmt.Sprint(i, long))
	}
	d := api.Diagnosis{Version: "test", SessionID: long, Workspace: long, Records: long, Searched: many, Problems: api.Notes(api.NotePlugin, many...)}
	var spots []api.Spot
	for range 50 {
		d.Plugins = append(d.Plugins, api.PluginReport{Name: long, Path: long, Version: long, Language: long, Error: long})
		d.Refused = append(d.Refused, api.RefusedReport{Name: long, Path: long, Reason: long})
		p := api.ProjectReport{Language: "x", Tools: map[string]string{}, Missing: many, Untested: many}
		for _, text := range many {
			p.Tools[text] = text
			p.Commands = append(p.Commands, api.Command{Argv: many, Dir: text})
		}
		d.Projects = append(d.Projects, p)
		spots = append(spots, api.Spot{File: long})
	}
	var info infoObject
	info.addContext(api.Context{Text: long, Recurring: spots, Regressions: spots})
	var running []infoRun
	for range 2 * infoRuns {
		running = append(running, infoRun{RunID: "abcdefghij", SessionID: long})
	}
	info.Running, info.RunningTotal = firstRuns(running)
	a := info.answer(d)
	raw, err := prose.JSON(a.object)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(a.text, "\n")
	if len(raw) > budget || len(text) > budget {
		t.Errorf("%d bytes of text, an object of %d", len(text), len(raw))
	}
	checkPlain(t, "text", text)
	if !strings.Contains(text, "not shown for lack of room: ") || !strings.Contains(string(raw), "not shown for lack of room: ") {
		t.Error("nobody is told that something was left out")
	}
}
