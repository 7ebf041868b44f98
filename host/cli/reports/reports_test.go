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
	for name, content := range map[string]string{"a.xml": "", "a-2.xml": ours, "a-3.xml": "<testsuites>", "a-4.xml": ours, "b.json": "{}", "b-2.json": ours} {
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
