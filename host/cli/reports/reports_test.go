package reports

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// The user names one file. Only proctor knows which others it took.
func TestAnEarlierReportGoesInAllItsFilesAndNothingElse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ours := `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<testsuites name="proctor" tests="1">`
	for name, content := range map[string]string{"a.xml": "", "a-2.xml": ours, "a-3.xml": "<testsuites>", "a-4.xml": ours, "b.json": `{"schema":"proctor.run/v1"`, "b-2.json": ours} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
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

func TestAReportIsNoDirectory(t *testing.T) {
	t.Parallel()
	r := Reports{asked: []string{"junit=" + t.TempDir()}}
	if err := r.Begin(); err == nil || !strings.Contains(err.Error(), "is a directory: give") {
		t.Errorf("before the tests it says %v", err)
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
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
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
