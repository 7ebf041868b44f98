package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// events is a recorded output of one test in package a.
func events(test, action string) string {
	failed := ""
	if action == "fail" {
		failed = `{"Action":"output","Package":"example.com/m/a","Test":"` + test + `","Output":"    a_test.go:7: wrong\n"}` + "\n"
	}
	return `{"Action":"start","Package":"example.com/m/a"}
{"Action":"run","Package":"example.com/m/a","Test":"` + test + `"}
` + failed + `{"Action":"` + action + `","Package":"example.com/m/a","Test":"` + test + `","Elapsed":0}
{"Action":"output","Package":"example.com/m/a","Output":"` + strings.ToUpper(action) + `\n"}
{"Action":"` + action + `","Package":"example.com/m/a","Elapsed":0.1}
`
}

// runsOnRecord are the folders of runs.
func (w *module) runsOnRecord() int {
	entries, _ := os.ReadDir(filepath.Join(w.dir, ".proctor", "runs"))
	return len(entries)
}

func TestARecordedOutputIsIngestedOnce(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass), "ci.jsonl": events("TestA", "fail")})
	w.proctor("run").expect(t, 0)
	last, _ := w.object("runs", "show")
	run, r := w.object("ingest", "--plugin", "go", "--exit-code", "1", "--at", "2026-01-02T03:04:05Z", "ci.jsonl")
	if r.code != 1 || run.Kind != api.KindIngest || run.Verdict != api.Failed || run.SessionID != "ingest:"+run.RunID ||
		run.StartedAt.Format("2006-01-02") != "2026-01-02" || run.Origin != "ci.jsonl" || run.DurationS != 0 {
		t.Errorf("exit %d: %+v", r.code, run)
	}
	w.write(files{"again.jsonl": events("TestA", "fail")})
	again, r := w.object("ingest", "--plugin", "go", "again.jsonl")
	if r.code != 1 || again.RunID != run.RunID || !strings.HasPrefix(again.Message, "already on record as run "+run.RunID) || again.Origin != "ci.jsonl" {
		t.Errorf("exit %d: %+v", r.code, again)
	}
	if n := w.runsOnRecord(); n != 2 {
		t.Errorf("%d runs are on record", n)
	}
	// It is neither the last run nor outstanding; it is a run all the same.
	now, _ := w.object("runs", "show")
	if now.RunID != last.RunID || now.Outstanding != 0 {
		t.Errorf("the last run is %s with %d outstanding", now.RunID, now.Outstanding)
	}
	w.proctor("rerun").expect(t, 0, "nothing to rerun")
	w.proctor("output", "--run", run.RunID, "TestA").expect(t, 0, "a_test.go:7: wrong")
	w.proctor("runs").expect(t, 0, run.RunID[:4], "ingest")
	var runs api.Runs
	decodeLine(t, w.proctor("runs", "--json"), &runs)
	for _, line := range runs.Runs {
		if line.Whole != (line.RunID == last.RunID) {
			t.Errorf("run %s, of kind %s, counts as one of everything: %v", line.RunID, line.Kind, line.Whole)
		}
	}
	w.proctor("ingest", "--plugin", "go", "ci.jsonl").expect(t, 1, "already on record as run "+run.RunID)
}

func TestStandardInputIsIngested(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	for _, message := range []string{"on record as run ", "already on record as run "} {
		cmd := w.command("ingest", "--plugin", "go", "--exit-code", "0", "-")
		cmd.Stdin = strings.NewReader(events("TestA", "pass"))
		w.wait(cmd).expect(t, 0, message)
	}
	w.write(files{"same.jsonl": events("TestA", "pass"), "words.txt": "--- FAIL: TestA (0.00s)\nFAIL\n"})
	w.proctor("ingest", "--plugin", "go", "same.jsonl").expect(t, 0, "already on record")
	w.proctor("ingest", "--plugin", "go", "words.txt").expect(t, 6, "nothing of this output is on record\nINCOMPLETE")
}

func TestAnIngestThatWasKilledIsDoneAgain(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass), "ci.jsonl": events("TestA", "fail")})
	run, _ := w.object("ingest", "--plugin", "go", "--exit-code", "1", "ci.jsonl")
	// What such a run says of itself.
	w.replace(".proctor/runs/"+run.RunID+"/run.json", run.Message+`"`, `this output was not ingested to its end","advice":{"operation":"ingest"}`)
	w.remove(".proctor/runs/" + run.RunID + "/0-stdout")
	again, _ := w.object("ingest", "--plugin", "go", "--exit-code", "1", "ci.jsonl")
	if again.RunID != run.RunID || again.Message != run.Message {
		t.Errorf("run %s: %s", again.RunID, again.Message)
	}
	w.proctor("output", "--run", run.RunID, "TestA").expect(t, 0, "a_test.go:7: wrong")
}

func TestOutputThatCannotBeReadIsNotRecorded(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a_test.go": tests("a", "TestA", pass), "empty": "", "text": "hello\n", "garbage": strings.Repeat("\x00\xff{\"\n", 1000),
		"object": `{"Action":1}` + "\n",
	})
	w.setenv("TMPDIR=" + w.home)
	for _, name := range []string{"empty", "text", "garbage", "object"} {
		if run, r := w.object("ingest", "--plugin", "go", name); r.code == 0 || run.Verdict == api.Passed {
			t.Errorf("%s: exit %d, %s", name, r.code, run.Verdict)
		} else if run.Message != "nothing of this output is on record" || run.Advice != (api.Advice{}) {
			t.Errorf("%s: %s", name, run.Message)
		}
	}
	for _, name := range []string{"nosuch", "a"} {
		w.proctor("ingest", "--plugin", "go", name).expect(t, exitUsage, name)
	}
	w.proctor("ingest", "--plugin", "go", "--stderr", "nosuch", "text").expect(t, exitUsage, "nosuch")
	w.proctor("ingest", "--plugin", "go", "--at", "yesterday", "text").expect(t, exitUsage, "--at")
	w.proctor("ingest", "--plugin", "go", "--session", "a\nb", "text").expect(t, exitUsage, "session")
	w.proctor("ingest", "--plugin", "go", "--plugin", "forge", "text").expect(t, exitUsage, "--plugin go")
	if n := w.runsOnRecord(); n != 0 {
		t.Errorf("%d runs are on record", n)
	}
	w.proctor("runs", "--json").expect(t, 0, `"total":0`)
	if left, _ := filepath.Glob(filepath.Join(w.home, "proctor-ingest-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestAHugeOutputIsIngested(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	line := strings.Repeat("x", 1000)
	b.WriteString(`{"Action":"start","Package":"example.com/m/a"}` + "\n" + `{"Action":"run","Package":"example.com/m/a","Test":"TestA"}` + "\n")
	for range 20_000 {
		b.WriteString(`{"Action":"output","Package":"example.com/m/a","Test":"TestA","Output":"` + line + `\n"}` + "\n")
	}
	whole := events("TestA", "pass")
	b.WriteString(whole[strings.Index(whole, `{"Action":"pass"`):])
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass), "ci.jsonl": b.String()})
	run, r := w.object("ingest", "--plugin", "go", "--exit-code", "0", "ci.jsonl")
	if r.code != 0 || run.Counts.Passed != 1 {
		t.Errorf("exit %d: %+v", r.code, run.Counts)
	}
	if out := w.proctor("output", "--run", run.RunID, "TestA"); strings.Count(out.stdout, line) != 20_000 {
		t.Errorf("the output has %d of 20000 lines", strings.Count(out.stdout, line))
	}
}

func TestIngestedRunsCountAsHistory(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a_test.go": tests("a", "TestA", fail, "TestB", pass), "ci": events("TestA", "pass"), "ci2": events("TestB", "fail"), "ci3": events("TestA", "pass") + "\n",
	})
	w.proctor("ingest", "--plugin", "go", "--exit-code", "0", "ci").expect(t, 0)
	w.proctor("ingest", "--plugin", "go", "--exit-code", "1", "ci2").expect(t, 1)
	run, _ := w.object("run")
	f := failureOf(t, run, "TestA")
	if f.Standing == nil || f.Standing.Classification != api.Regression || f.Standing.LastPassed == nil {
		t.Errorf("after a pass in CI a failure is %+v", f.Standing)
	}
	w.proctor("history", "--classification", "fixed").expect(t, 0, "TestB")
}

func TestIngestedRunsOfOneCommitAreNoEvidenceThatATestIsFlaky(t *testing.T) {
	t.Parallel()
	w := newRepository(t, ".", files{"a/a_test.go": tests("a", "TestA", pass)})
	out := filepath.Join(w.home, "out")
	ingest := func(content string, args ...string) api.Run {
		testfiles.Write(t, out, content)
		run, _ := w.object(append([]string{"ingest", "--plugin", "go"}, append(args, out)...)...)
		return run
	}
	one := ingest(events("TestA", "pass"), "--commit", "HEAD")
	if one.Source == nil || one.Source.Fingerprint == "" || one.Source.Commit != w.git("rev-parse", "HEAD") {
		t.Fatalf("source %+v", one.Source)
	}
	two := ingest(events("TestA", "fail"), "--commit", "HEAD", "--exit-code", "1")
	if f := failureOf(t, two, "TestA"); f.Standing == nil || f.Standing.Flaky != nil || two.Source.Fingerprint != one.Source.Fingerprint {
		t.Errorf("%+v", f.Standing)
	}
	// The machines that made them may differ in much that is not known.
	if r := w.proctor("history", "--flaky"); strings.Contains(r.stdout, "TestA") {
		t.Error(r.stdout)
	}
	w.proctor("ingest", "--plugin", "go", "--commit", "nowhere", "-").expect(t, exitUsage, `"nowhere"`)
}

func TestTheSameOutputWithOtherFlagsIsRefusedUnlessIngestedAgain(t *testing.T) {
	t.Parallel()
	w := newRepository(t, ".", files{"a/a_test.go": tests("a", "TestA", pass)})
	out := filepath.Join(w.home, "ci.jsonl")
	testfiles.Write(t, out, events("TestA", "pass"))
	first, r := w.object("ingest", "--plugin", "go", out)
	if r.code != 0 || first.Source != nil {
		t.Fatalf("exit %d: %+v", r.code, first)
	}
	more := []string{"--exit-code", "1", "--commit", "HEAD", "--session", "ci7", "--at", "2026-01-02T03:04:05Z"}
	for i := 0; i < len(more); i += 2 {
		w.proctor("ingest", "--plugin", "go", more[i], more[i+1], out).expect(t, exitUsage, "on record as run "+first.RunID, more[i+1], "--again")
	}
	w.proctor("ingest", "--plugin", "go", out).expect(t, 0, "already on record")
	all := append([]string{"ingest", "--plugin", "go", out}, more...)
	again, r := w.object(append(all, "--again")...)
	if again.RunID != first.RunID || again.Verdict == api.Passed || r.code == 0 || again.SessionID != "ci7" ||
		again.Source == nil || again.Source.Commit != w.git("rev-parse", "HEAD") || again.StartedAt.Format("2006-01-02") != "2026-01-02" {
		t.Errorf("exit %d: %+v", r.code, again)
	}
	if same, _ := w.object(all...); same.RunID != first.RunID || !strings.HasPrefix(same.Message, "already on record") {
		t.Errorf("the same question is answered with %+v", same)
	}
	if n := w.runsOnRecord(); n != 1 {
		t.Errorf("%d runs are on record", n)
	}
	var runs api.Runs
	decodeLine(t, w.proctor("runs", "--json"), &runs)
	if runs.Total != 1 || runs.Runs[0].SessionID != "ci7" {
		t.Errorf("%+v", runs)
	}
}

func TestARunFromTheFutureIsRefused(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass), "ci.jsonl": events("TestA", "pass")})
	for _, at := range []string{time.Now().Add(time.Hour).Format(time.RFC3339), "3000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "1969-12-31T00:00:00Z"} {
		w.proctor("ingest", "--plugin", "go", "--at", at, "ci.jsonl").expect(t, exitUsage, "no run can have started at ")
	}
	if n := w.runsOnRecord(); n != 0 {
		t.Errorf("%d runs are on record", n)
	}
	ahead := time.Now().Add(48 * time.Hour)
	if err := os.Chtimes(filepath.Join(w.dir, "ci.jsonl"), ahead, ahead); err != nil {
		t.Fatal(err)
	}
	if run, _ := w.object("ingest", "--plugin", "go", "ci.jsonl"); run.StartedAt.After(time.Now()) || time.Since(run.StartedAt) > time.Hour {
		t.Errorf("it was at %s", run.StartedAt)
	}
}
