package cli

import (
	"bytes"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// junitTotals are the figures of a report that a command wrote.
type junitTotals struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
}

func TestAJUnitReportIsWrittenWhateverTheVerdict(t *testing.T) {
	t.Parallel()
	w := newModule(t, mixed())
	file := filepath.Join(t.TempDir(), "report.xml")
	for _, tc := range []struct {
		args []string
		code int
		want junitTotals
	}{
		// bad and crash have three failed tests; TestAfter never started, broken does not build.
		{[]string{"run"}, 1, junitTotals{Tests: 12, Failures: 3, Errors: 2}},
		{[]string{"run", "./good"}, 0, junitTotals{Tests: 5}},
		{[]string{"run", "-f", "NoSuchTest", "./good"}, 4, junitTotals{Tests: 1, Errors: 1}},
		{[]string{"run", "--lang", "cobol"}, 2, junitTotals{Tests: 1, Errors: 1}},
	} {
		var got junitTotals
		w.proctor("run", "--format", "cobol", "--junit", file).expect(t, 2)
		if _, err := os.Stat(file); err == nil {
			t.Error("the report of the command before stands for one that was not understood")
		}
		w.proctor(append(tc.args, "--junit", file)...).expect(t, tc.code)
		if data, err := os.ReadFile(file); err != nil || xml.Unmarshal(data, &got) != nil || got != tc.want {
			t.Errorf("%q: %+v, want %+v, %v\n%s", tc.args, got, tc.want, err, data)
		}
	}
	beyond := filepath.Join(filepath.Dir(file), "file", "x")
	if err := os.WriteFile(filepath.Dir(beyond), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.proctor("run", "./good", "--junitfile", beyond).expect(t, 3, "was not written")
	w.proctor("run", "./bad", "--report", "junit="+beyond).expect(t, 1, "was not written")
}

func TestAnIngestOfOutputOnRecordWritesTheReportAgain(t *testing.T) {
	t.Parallel()
	w := newModule(t, mixed())
	events, file := filepath.Join(t.TempDir(), "events.jsonl"), filepath.Join(t.TempDir(), "report.xml")
	raw := w.proctor("run", "./bad", "--raw").stdout
	testfiles.Write(t, events, raw)
	var reports [2]string
	for i := range reports {
		w.proctor("ingest", "--plugin", "go", "--junit", file, events).expect(t, 1)
		data, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(data, []byte("<failure")) {
			t.Fatalf("report %d: %v\n%s", i, err, data)
		}
		reports[i] = string(data)
	}
	if reports[0] != reports[1] {
		t.Errorf("%s\nbecame\n%s", reports[0], reports[1])
	}
}

// What a page tells besides a run comes from the record: the sources, what the tests
// printed, and their latest runs.
func TestAPageHasWhatIsOnRecordOfItsTests(t *testing.T) {
	t.Parallel()
	w := newModule(t, mixed())
	file := filepath.Join(t.TempDir(), "report.html")
	w.proctor("run", "./bad").expect(t, 1)
	w.proctor("run", "./bad", "--report", "html="+file).expect(t, 1)
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range map[string]string{"run": string(written), "report": w.proctor("report", "html").stdout} {
		for _, part := range []string{
			`aria-label="oldest first: 2 failed"`, "failing for 2 runs", `<pre class="source"`, "--- FAIL: TestDiff", `again: <code>go test -run`,
		} {
			if !strings.Contains(page, part) {
				t.Errorf("%s: the page lacks %s", name, part)
			}
		}
	}
}

func TestAPageHasWhatATestPrintedInTheOrderOfItsCommands(t *testing.T) {
	t.Parallel()
	counted := filepath.ToSlash(filepath.Join(t.TempDir(), "counted"))
	w := newModule(t, files{"a_test.go": `package m

import (
	"fmt"
	"os"
	"testing"
)

func TestA(t *testing.T) {
	before, _ := os.ReadFile("` + counted + `")
	os.WriteFile("` + counted + `", append(before, 'x'), 0o600)
	t.Run("b", func(t *testing.T) {
		fmt.Printf("count %d\n", len(before))
		t.Fatal("no")
	})
}
`})
	w.proctor("run").expect(t, 1)
	w.proctor("rerun").expect(t, 1) // TestA/b alone, and then TestA as a whole
	for range 20 {                  // one of eight pages was in another order
		page := w.proctor("report", "html").stdout
		if first, second := strings.Index(page, "count 1"), strings.Index(page, "count 2"); first < 0 || second < first {
			t.Fatalf("count 1 is at %d, count 2 at %d", first, second)
		}
	}
}

func TestReportsAreInTheRequestedFormat(t *testing.T) {
	t.Parallel()
	w := newModule(t, mixed())
	dir := filepath.Join(t.TempDir(), "made")
	for _, tc := range []struct{ asked, says string }{
		{"cobol=x", "there is no format"}, {"junit", "name the file"}, {"json=", "name the file"},
	} {
		w.proctor("run", "--report", tc.asked).expect(t, 2, tc.says)
	}
	file := filepath.Join(dir, "x")
	w.proctor("run", "--report", "junit="+file, "--report", "json="+filepath.Join(dir, ".", "x")).expect(t, 2, "two reports are to be written")
	w.proctor("run", "--junit", ".proctor/history.db").expect(t, 2, "no report is written to .proctor/history.db, among proctor's records")
	w.proctor("run", "--junit-dialect", "cobol").expect(t, 2, "default, gitlab")
	w.proctor("report", "cobol").expect(t, 2, "there is no format")
	none := w.proctor("report", "junit")
	if none.expect(t, 4, "no tests have been run here yet"); none.stdout != "" {
		t.Error(none.stdout)
	}

	w.proctor("run", "--report", "json="+file).expect(t, 1)
	shown := w.proctor("runs", "show", "--json").stdout
	again := w.proctor("report", "json").stdout
	if again != shown {
		t.Errorf("%s\nis not\n%s", again, shown)
	}
	w.proctor("report", "json", "-o", file).expect(t, 0)
	w.proctor("report", "json", "-o", ".proctor/history.db").expect(t, 2, "among proctor's records")
	w.proctor("report", "json", "-o", filepath.Join(w.dir, "go.mod")).expect(t, 2, "go.mod is not a report")
	w.proctor("merge", dir, "--report", "json="+file).expect(t, 2, "is to be read")
	w.proctor("rerun", "--from", file, "--junit", file).expect(t, 2, "is to be read")
	for _, format := range report.Names() {
		if r := w.proctor("report", format, "last"); r.code != 0 || r.stdout == "" {
			t.Errorf("%s: exit %d: %s", format, r.code, r.stderr)
		}
		w.proctor("report", format, "-o", file).expect(t, 0) // in place of one in another format
	}
}

// In GitHub Actions the report comes by itself, and nothing that tests print is obeyed.
func TestGitHubGetsAnnotationsAndASummaryAndNoCommandsOfTests(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a_test.go": tests("m", "TestA", `t.Error("wrong\n::error::owned")`, "TestB", pass)})
	w.commit()
	summary := filepath.Join(t.TempDir(), "summary.md")
	w.setenv("GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY="+summary)
	r := w.proctor("run")
	r.expect(t, 1, "FAILED")
	_, rest, stopped := strings.Cut(r.stderr, "::stop-commands::")
	token, rest, _ := strings.Cut(rest, "\n")
	between, after, resumed := strings.Cut(rest, "::"+token+"::\n")
	if !stopped || !resumed || token == "" || strings.Contains(after, "\n::error::owned") || !strings.Contains(between, "owned") {
		t.Errorf("what a test prints may be obeyed:\n%s", r.stderr)
	}
	if !strings.HasPrefix(after, "::error title=") || !strings.Contains(after, ",file=a_test.go,line=") {
		t.Errorf("the annotations are %q", after)
	}
	if text, err := os.ReadFile(summary); err != nil || !strings.Contains(string(text), "FAILED") || !strings.Contains(string(text), "TestA") {
		t.Errorf("the summary is %q, %v", text, err)
	}
	// What is stopped without an end would stop the commands of the rest of the step, too.
	for _, args := range [][]string{{"run", "--report", "github=off"}, {"failures"}, {"triage"}, {"covering", "index"}} {
		if r := w.proctor(args...); strings.Contains(r.stderr+r.stdout, "::error title") || strings.Contains(r.stderr, "::stop") {
			t.Errorf("%q: %s", args, r.stderr)
		}
	}
	w.setenv("GITHUB_STEP_SUMMARY=" + t.TempDir())
	w.proctor("run", "-run", "TestB").expect(t, 3, "the github report was not written")
	w.setenv("GITHUB_ACTIONS=")
	if r := w.proctor("run", "--report", "github"); !strings.Contains(r.stderr, "::error title=") {
		t.Errorf("asked for: %s", r.stderr)
	}
}
