//go:build unix

package merge

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// report is a whole report of one shard.
func report(t testing.TB) string {
	for seed := uint64(1); ; seed++ {
		w := newWorld(rand.New(rand.NewPCG(seed, 1)), false)
		if runs := w.shards(); len(runs) == 1 && len(runs[0].Results) > 3 {
			return string(line(t, runs[0]))
		}
	}
}

func TestADirectoryOfReportsIsReadWithSuspicion(t *testing.T) {
	t.Parallel()
	good := report(t)
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
		"a pipe":                {func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "pipe.json"), 0o600) }, "pipe.json is no regular file"},
		"an empty file":         {func(dir string) error { return os.WriteFile(filepath.Join(dir, "empty.json"), nil, 0o600) }, "empty.json is empty"},
		"no JSON":               {func(dir string) error { return os.WriteFile(filepath.Join(dir, "no.json"), []byte("hello\n"), 0o600) }, "no.json cannot be used"},
		"another object":        {func(dir string) error { return os.WriteFile(filepath.Join(dir, "other.json"), []byte("{}\n"), 0o600) }, "other.json cannot be used"},
		"too deep": {func(dir string) error {
			deep := filepath.Join(dir, "1/2/3/4/5")
			if err := os.MkdirAll(deep, 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(deep, "deep.json"), []byte(good), 0o600)
		}, "5 lies too deep"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "good.json"), []byte(good), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := tc.lay(dir); err != nil {
				t.Fatal(err)
			}
			in, err := readAll(t.Context(), []string{dir}, now)
			if err != nil || len(in.reports["x"]) != 1 {
				t.Fatalf("%d reports, %v", len(in.reports["x"]), err)
			}
			if said := strings.Join(in.problems, "\n"); (tc.says == "") != (said == "") || !strings.Contains(said, tc.says) {
				t.Errorf("problems are %q, want %q", said, tc.says)
			}
		})
	}
}

func TestAReportThatLiesIsNamed(t *testing.T) {
	t.Parallel()
	good := report(t)
	for name, tc := range map[string]struct{ from, to, says string }{
		"nothing":                  {`"schema"`, `"schema"`, ""},
		"a number that is none":    {`"duration_s":1`, `"duration_s":NaN`, "invalid character"},
		"a number beyond all":      {`"duration_s":1`, `"duration_s":1e999`, "cannot unmarshal"},
		"a number of many digits":  {`"duration_s":1`, `"duration_s":1` + strings.Repeat("0", 1000), "digits"},
		"a duration of minus one":  {`"duration_s":1`, `"duration_s":-1`, "no possible time"},
		"a member twice":           {`"state"`, `"STATE":"finished","state"`, "twice"},
		"a list as a name":         {`"language":"x"`, `"language":["x"]`, "cannot unmarshal"},
		"a path as a language":     {`"language":"x"`, `"language":"../../x"`, "language"},
		"a path as an id":          {`"run_id":"`, `"run_id":"../`, "no id of a run"},
		"a path as a state":        {`"fingerprint":"abc123"`, `"fingerprint":"../../etc"`, "source state"},
		"deep nesting":             {`"conditions":`, `"x":`, ""},
		"a run that goes on":       {`"state":"finished"`, `"state":"running"`, "has no end"},
		"more of the same":         {"\n", " {}\n", "more than one value"},
		"a future":                 {`"started_at":"2026`, `"started_at":"2926`, "no possible time"},
		"counts of less than zero": {`"never_started":0`, `"never_started":-1`, "less than nothing"},
		"an unknown verdict":       {`"verdict":"passed"`, `"verdict":"great"`, "not known"},
		"more passes":              {`"passed":`, `"passed":1`, "of its results passed"},
		"tests that never started": {`"never_started":0`, `"never_started":2`, "did not get to its end"},
		"a nest":                   {`"kind":"run"`, `"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `,"kind":"run"`, "nests deeper"},
		"bytes that are no text":   {`"kind":"run"`, "\"x\":\"\xff\",\"kind\":\"run\"", "not UTF-8"},
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
