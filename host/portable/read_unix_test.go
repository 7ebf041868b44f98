//go:build unix

package portable

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// report is a whole report of a run with these results.
func report(t testing.TB, results ...api.Result) string {
	t.Helper()
	run := api.Run{
		Schema: api.Schema, RunID: "abcdefghij", Kind: api.KindRun, State: api.StateFinished, Verdict: api.Passed, Reason: "as it was",
		Language: "x", Plugin: api.Plugin{Name: "x"}, StartedAt: now, DurationS: 1, Environment: "e1",
		Source: &api.Source{Fingerprint: "abc123", Commit: "c0ffee"}, Results: results, Failures: []api.Failure{},
	}
	counts := tally.NewTally()
	for _, res := range results {
		counts.Listen(&api.TestEnded{Result: res})
		if res.Status == sdk.Failed {
			run.Failures = append(run.Failures, api.Failure{ID: api.FailureID(res.Suite, res.Test, "assertion", 0), Failure: sdk.Failure{TestID: res.TestID, Kind: sdk.KindAssertion, Message: "no"}})
			run.Verdict = api.Failed
		}
	}
	run.Counts, run.FailuresTotal = counts.Counted(), len(run.Failures)
	line, err := prose.JSON(run)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

// ended is the result of a test of the suite m.
func ended(test string, status sdk.Status) api.Result {
	return api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "m", Test: test}, Status: status}, DurationS: 0.1}
}

func green(t testing.TB) string {
	return report(t, ended("A", sdk.Passed), ended("B", sdk.Passed), ended("C", sdk.Skipped))
}

func TestADirectoryOfReportsIsReadWithSuspicion(t *testing.T) { // alone, as it measures memory
	good := green(t)
	for name, tc := range map[string]struct {
		lay  func(dir string) error
		says string
	}{
		"a report":               {func(string) error { return nil }, ""},
		"a report deeper down":   {func(dir string) error { return os.Mkdir(filepath.Join(dir, "d"), 0o755) }, ""},
		"a file of another kind": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "report.xml"), []byte("<x/>"), 0o600) }, ""},
		"a file of timings": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "t.json"), []byte(`{"schema":"`+api.TimingsSchema+`"}`), 0o600)
		}, ""},
		"a link": {func(dir string) error { return os.Symlink("/etc/passwd", filepath.Join(dir, "link.json")) }, "link.json is a symbolic link"},
		"a link to a report": {func(dir string) error {
			return os.Symlink(filepath.Join(dir, "good.json"), filepath.Join(dir, "link.json"))
		}, "link.json is a symbolic link"},
		"a link to a directory": {func(dir string) error { return os.Symlink(dir, filepath.Join(dir, "loop")) }, "loop is a symbolic link"},
		"a pipe":                {func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "pipe.json"), 0o600) }, "pipe.json is not a regular file"},
		"an empty file":         {func(dir string) error { return os.WriteFile(filepath.Join(dir, "empty.json"), nil, 0o600) }, "empty.json is empty"},
		"no JSON":               {func(dir string) error { return os.WriteFile(filepath.Join(dir, "no.json"), []byte("hello\n"), 0o600) }, "no.json cannot be used"},
		"another object":        {func(dir string) error { return os.WriteFile(filepath.Join(dir, "other.json"), []byte("{}\n"), 0o600) }, "other.json cannot be used"},
		"a zip archive": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "a.json"), []byte("PK\x03\x04..."), 0o600)
		}, "a.json cannot be used: it is a zip archive"},
		"a gzipped file": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "logs.tar.gz"), []byte("\x1f\x8b..."), 0o600)
		}, ""},
		"a large file of nothing": {func(dir string) error {
			if err := os.WriteFile(filepath.Join(dir, "n.json"), nil, 0o600); err != nil {
				return err
			}
			return os.Truncate(filepath.Join(dir, "n.json"), maxFileBytes)
		}, "n.json cannot be used, and may be cut off: line 1: invalid character"},
		"a file beyond the limit": {func(dir string) error {
			if err := os.WriteFile(filepath.Join(dir, "n.json"), nil, 0o600); err != nil {
				return err
			}
			return os.Truncate(filepath.Join(dir, "n.json"), maxFileBytes+1)
		}, "n.json is too large: it has 1073741825 bytes"},
		"files beyond the limit of all": {func(dir string) error {
			for _, name := range []string{"h1.json", "h2.json", "h3.json", "h4.json"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("[\n"), 0o600); err != nil {
					return err
				}
				if err := os.Truncate(filepath.Join(dir, name), maxFileBytes); err != nil {
					return err
				}
			}
			return nil
		}, "h4.json is too large: it has 1073741824 bytes"},
		"a report of many results": {func(dir string) error {
			var many []api.Result
			for i := range 1000 {
				many = append(many, ended(fmt.Sprint("Test", i), sdk.Passed))
			}
			return os.WriteFile(filepath.Join(dir, "good.json"), []byte(report(t, many...)), 0o600)
		}, ""},
		"too deep": {func(dir string) error {
			deep := filepath.Join(dir, "1/2/3/4/5")
			if err := os.MkdirAll(deep, 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(deep, "deep.json"), []byte(good), 0o600)
		}, "5 is nested too deep"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			testfiles.Write(t, filepath.Join(dir, "good.json"), good)
			if err := tc.lay(dir); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			in, err := ReadFiles(t.Context(), []string{dir}, now)
			if err != nil || len(in.Reports) != 1 {
				t.Fatalf("%v, %v", in, err)
			}
			if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > maxFileBytes/2 {
				t.Errorf("it took %d bytes", after.TotalAlloc-before.TotalAlloc)
			}
			if said := strings.Join(in.Problems, "\n"); (tc.says == "") != (said == "") || !strings.Contains(said, tc.says) {
				t.Errorf("problems are %q, want %q", said, tc.says)
			}
		})
	}
}

func TestAReportThatLiesIsNamed(t *testing.T) {
	t.Parallel()
	good := green(t)
	for name, tc := range map[string]struct{ from, to, says string }{
		"nothing":                  {`"schema"`, `"schema"`, ""},
		"an invalid number":        {`"duration_s":1`, `"duration_s":NaN`, "invalid character"},
		"a number beyond all":      {`"duration_s":1`, `"duration_s":1e999`, "cannot unmarshal"},
		"a number of many digits":  {`"duration_s":1`, `"duration_s":1` + strings.Repeat("0", 1000), "digits"},
		"a duration of minus one":  {`"duration_s":1`, `"duration_s":-1`, "impossible start time"},
		"a member twice":           {`"state"`, `"STATE":"finished","state"`, "twice"},
		"a list as a name":         {`"language":"x"`, `"language":["x"]`, "cannot unmarshal"},
		"a path as a language":     {`"language":"x"`, `"language":"../../x"`, "language"},
		"a path as an id":          {`"run_id":"`, `"run_id":"../`, "not the id of a run"},
		"a path as a state":        {`"fingerprint":"abc123"`, `"fingerprint":"../../etc"`, "source state"},
		"deep nesting":             {`"conditions":`, `"x":`, ""},
		"a run that goes on":       {`"state":"finished"`, `"state":"running"`, "is not finished"},
		"more of the same":         {"\n", " {}\n", "more than one value"},
		"a future":                 {`"started_at":"2026`, `"started_at":"2926`, "impossible start time"},
		"counts of less than zero": {`"never_started":0`, `"never_started":-1`, "negative"},
		"an unknown verdict":       {`"verdict":"passed"`, `"verdict":"great"`, "unknown"},
		"more passes":              {`"passed":`, `"passed":1`, "of its results passed"},
		"tests that never started": {`"never_started":0`, `"never_started":2`, "did not reach its end"},
		"a nest":                   {`"kind":"run"`, `"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `,"kind":"run"`, "nested more than"},
		"bytes that are not text":  {`"kind":"run"`, "\"x\":\"\xff\",\"kind\":\"run\"", "not UTF-8"},
	} {
		_, _, err := readRun([]byte(strings.Replace(good, tc.from, tc.to, 1)), now)
		if (tc.says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", name, err, tc.says)
		}
	}
	var run api.Run
	run.Verdict, run.Results = api.Passed, []api.Result{{TestResult: sdk.TestResult{Status: sdk.Unfinished}}}
	if err := checkVerdict(run); err == nil {
		t.Error("a pass with a test that did not finish is believed")
	}
}

func TestEachLineOfAReportIsARun(t *testing.T) {
	t.Parallel()
	good, other := green(t), report(t, ended("A", sdk.Passed))
	const none = `{"reason":"why","shard":{"index":1,"of":2,"attempt":3,"plan":"x","planned":[{"suite":"m"}]}}`
	for name, tc := range map[string]struct {
		text                   string
		reports, noRuns, other int
		says                   string
	}{
		"one":                    {good, 1, 0, 0, ""},
		"two":                    {good + other, 2, 0, 0, ""},
		"empty lines":            {"\n \n" + good + "\n" + other + "\n\n", 2, 0, 0, ""},
		"nothing":                {"", 0, 0, 0, "x.json is empty"},
		"only empty lines":       {"\n \n", 0, 0, 0, "x.json is empty"},
		"a broken one":           {"{\n" + good, 0, 0, 0, "x.json cannot be used: line 1: unexpected EOF"},
		"a broken one, later":    {"\n" + good + "{\n" + good, 1, 0, 0, "x.json cannot be used: line 3: unexpected EOF"},
		"one that is cut off":    {good + "{", 1, 0, 0, "x.json cannot be used, and may be cut off: line 2: unexpected EOF"},
		"an attempt without one": {none, 0, 1, 0, ""},
		"a command without one":  {`{"reason":"why"}` + "\n", 0, 0, 0, "x.json cannot be used: line 1: there was no run: why"},
		"timings":                {`{"schema":"` + api.TimingsSchema + `"}`, 0, 0, 1, ""},
		"a number":               {"1\n", 0, 0, 0, "x.json cannot be used: line 1: it is not a Run object: "},
		"a number as a schema":   {`{"schema":1}` + "\n", 0, 0, 0, "x.json cannot be used: line 1: it is not a Run object: "},
		"gzip":                   {"\x1f\x8b{", 0, 0, 0, "x.json cannot be used: it is gzipped"},
		"zip":                    {"PK\x03\x04{", 0, 0, 0, "x.json cannot be used: it is a zip archive"},
	} {
		in := &Files{Now: now}
		in.AddReports("x.json", []byte(tc.text))
		if said := strings.Join(in.Problems, "\n"); len(in.Reports) != tc.reports || len(in.NoRuns) != tc.noRuns || len(in.Ignored) != tc.other || !strings.HasPrefix(said, tc.says) || said != "" && tc.says == "" {
			t.Errorf("%s: %d reports, %d without a run, ignored %q, problems %q", name, len(in.Reports), len(in.NoRuns), in.Ignored, said)
		}
		sums := map[[sha256.Size]byte]bool{}
		for _, r := range slices.Concat(in.Reports, in.NoRuns) {
			if sums[r.Sum] || r.File != "x.json" {
				t.Errorf("%s: of %s with the sum %x", name, r.File, r.Sum)
			}
			sums[r.Sum] = true
		}
		for _, r := range in.NoRuns {
			if s := r.Shard; r.Verdict != api.ToolError || s.String() != "1/2" || s.Attempt != 3 || s.Plan != "" || len(s.Planned) > 0 {
				t.Errorf("%s: %s of %+v", name, r.Verdict, s)
			}
			if said := in.AllProblems(); len(said) != 1 || said[0] != "x.json cannot be used: there was no run: why" {
				t.Errorf("%s: %q", name, said)
			}
		}
	}
}
