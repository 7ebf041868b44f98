package reports

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// The user names one file. Only proctor knows which others it took.
func TestAnEarlierReportGoesInAllItsFilesAndNothingElse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ours := `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<testsuites name="proctor" tests="1">`
	for name, content := range map[string]string{"a.xml": "", "a-2.xml": ours, "a-3.xml": "<testsuites>", "a-4.xml": ours, "b.json": `{"schema":"proctor.run/v1"`, "b-2.json": ours} {
		testfiles.Write(t, filepath.Join(dir, name), content)
	}
	var r Reports
	r.asked = []string{"junit=" + filepath.Join(dir, "a.xml"), "json=" + filepath.Join(dir, "b.json")}
	if err := r.Begin(); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if got := strings.Join(left, " "); got != "a-3.xml a-4.xml b-2.json" {
		t.Errorf("left are %s", got)
	}
}

// A command whose first run was green may yet fail.
func TestAReportSaysWhatCameAfterAGreenRun(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "report.xml")
	var stderr bytes.Buffer
	r := Reports{junit: file}
	if err := r.Begin(); err != nil {
		t.Fatal(err)
	}
	r.Listen(&api.RunFinished{Run: api.Run{Verdict: api.Passed}})
	gone := errors.New("the second project is gone")
	failed := r.Write(t.Context(), Surroundings{Stderr: &stderr, Getenv: func(string) string { return "" }}, nil, gone, gone.Error(), false)
	data, err := os.ReadFile(file)
	if err != nil || failed || !bytes.Contains(data, []byte(`errors="1"`)) || stderr.Len() > 0 {
		t.Errorf("%v, %s\n%s", err, stderr.Bytes(), data)
	}
}

// A full disk leaves a pass without its tests on record.
func TestAReportWithoutItsTestsKeepsARunFromPassing(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	r := Reports{junit: filepath.Join(t.TempDir(), "report.xml")}
	if err := r.Begin(); err != nil {
		t.Fatal(err)
	}
	r.Listen(&api.RunFinished{Run: api.Run{Verdict: api.Passed, Counts: api.Counts{Passed: 1}}})
	if failed := r.Write(t.Context(), Surroundings{Stderr: &stderr, Getenv: func(string) string { return "" }}, nil, nil, "", true); !failed || !strings.Contains(stderr.String(), "lack results") {
		t.Errorf("failed: %t, %s", failed, stderr.Bytes())
	}
}

func TestAReportIsNoDirectory(t *testing.T) {
	t.Parallel()
	r := Reports{asked: []string{"junit=" + t.TempDir()}}
	if err := r.Begin(); err == nil || !strings.Contains(err.Error(), "is a directory: give") {
		t.Errorf("before the tests it says %v", err)
	}
}

// Some keep what is only of use for a moment in memory.
func TestAReportInMemoryIsReplaced(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("/dev/shm", "")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	file := filepath.Join(dir, "a.xml")
	testfiles.Write(t, file, "<testsuites>")
	r := Reports{asked: []string{"junit=" + file}}
	if err := r.Begin(); err != nil {
		t.Error(err)
	}
}

// A mistyped name costs no source, nor what the command is about to read.
func TestAReportReplacesReportsOnly(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ content, reads, refusal string }{
		"nothing.xml":   {},
		"gotestsum.xml": {content: "<?xml version=\"1.0\"?>\n<!-- by CI -->\n<testsuites tests=\"1\">"},
		"surefire.xml":  {content: "\ufeff<testsuite xmlns:xsi=\"x\" name=\"a\">"},
		"cut-off.xml":   {content: `<testsuites name="a" tes`, refusal: "is not a report"},
		"pytest.json":   {content: "{\n \"reportFormat\": \"CTRF\","},
		"go.mod":        {content: "module m\n", refusal: "is not a report"},
		"pom.xml":       {content: `<?xml version="1.0"?><project><testsuites/></project>`, refusal: "is not a report"},
		"package.json":  {content: `{"name": "m"}`, refusal: "is not a report"},
		"events.jsonl":  {content: `{"Action":"start","Package":"m"}`, refusal: "is not a report"},
		"index.html":    {content: "<!doctype html>\n<title>m</title>", refusal: "is not a report"},
		"README.md":     {content: "# m\n", refusal: "is not a report"},
		"shard.json":    {content: `{"schema":"proctor.run/v1"}`, reads: "shard.json", refusal: "is to be read"},
		"1.json":        {content: `{"schema":"proctor.run/v1"}`, reads: ".", refusal: "is to be read"},
		"2.json":        {content: `{"schema":"proctor.run/v1"}`, reads: "absent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			earlier, file, link := filepath.Join(dir, "earlier.xml"), filepath.Join(dir, name), filepath.Join(dir, "link")
			for path, content := range map[string]string{earlier: "", file: test.content} {
				testfiles.Write(t, path, content)
			}
			if err := os.Symlink(name, link); err != nil {
				t.Skip(err)
			}
			for _, asked := range []string{link, file} {
				r := Reports{asked: []string{"junit=" + earlier, "json=" + asked}, Reads: []string{filepath.Join(dir, test.reads)}}
				if test.reads == "" {
					r.Reads = nil
				}
				err := r.Begin()
				_, left := os.Lstat(asked)
				if (err != nil) != (test.refusal != "") || err != nil && !strings.Contains(err.Error(), test.refusal) || (left == nil) != (err != nil) {
					t.Errorf("%s: %v, and left is %v", asked, err, left)
				}
				if _, left := os.Lstat(earlier); err != nil && left != nil {
					t.Error("another report was removed before a command that did not run")
				}
			}
		})
	}
}

// Two commands may have been given one file, such as two packages of a build that runs both at once.
func TestOfTwoCommandsWithOneFileNeitherHidesARedReport(t *testing.T) {
	t.Parallel()
	const green, red = "PASSED", "FAILED"
	verdicts := map[string]api.Verdict{green: api.Passed, red: api.Failed}
	for name, test := range map[string]struct {
		first, second, left string // first is a command, or what else is written
		says                string
	}{
		"green after red":      {red, green, `errors="1"`, "another command wrote its report there meanwhile"},
		"red after green":      {green, red, `errors="1"`, "replaces one that another command wrote meanwhile"},
		"green after green":    {green, green, `failures="0" errors="0"`, "another command wrote its report there meanwhile"},
		"red after a document": {"precious", red, "precious", "is not a report"},
		"green after a link":   {"link", green, `failures="0" errors="0"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "report.xml")
			if test.first == "link" { // to a file that there is not yet
				if err := os.Symlink(filepath.Join(dir, "elsewhere.xml"), file); err != nil {
					t.Skip(err)
				}
			}
			var one, two Reports
			one.junit, two.junit = file, file
			if err := errors.Join(one.Begin(), two.Begin()); err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			write := func(r *Reports, verdict api.Verdict) (failed bool) {
				r.Listen(&api.RunFinished{Run: api.Run{Verdict: verdict}})
				return r.Write(t.Context(), Surroundings{Stderr: &stderr, Getenv: func(string) string { return "" }}, nil, nil, "", verdict == api.Passed)
			}
			switch test.first {
			case "link":
			case "precious":
				testfiles.Write(t, file, test.first)
			default:
				if write(&one, verdicts[test.first]) {
					t.Fatalf("the first says %s", stderr.Bytes())
				}
			}
			failed := write(&two, verdicts[test.second])
			data, err := os.ReadFile(file)
			if err != nil || !bytes.Contains(data, []byte(test.left)) {
				t.Errorf("left is %s, %v", data, err)
			}
			refused := !strings.Contains(test.says, "replaces") && test.says != ""
			if failed != refused || !strings.Contains(stderr.String(), test.says) || test.says == "" && stderr.Len() > 0 {
				t.Errorf("failed is %t, and it says %q", failed, stderr.String())
			}
			if left, err := filepath.Glob(filepath.Join(dir, ".proctor-*")); err != nil || len(left) > 0 {
				t.Errorf("left are %v, %v", left, err)
			}
		})
	}
}
