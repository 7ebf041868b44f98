package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testbin"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk/plugintest/conform"
)

// checkedModule is a module with the tests that testdata/plugin-check/go recorded.
func checkedModule(t *testing.T) *module {
	t.Helper()
	return newModule(t, files{"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestDiff(t *testing.T) { t.Error(\"got 1, want 2\") }\n" +
		"func TestParent(t *testing.T) { t.Run(\"bad|one\", func(t *testing.T) { t.Error(\"no\") }) }\n"})
}

// recordedCases are those of the Go plugin.
func recordedCases(t *testing.T) string { return checkData(t, "go") }

// checkData is a directory of testdata/plugin-check.
func checkData(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("testdata", "plugin-check", name))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func checkReport(t *testing.T, r reply) conform.Report {
	t.Helper()
	var report conform.Report
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil || report.Schema != conform.Schema {
		t.Fatalf("%v, schema %q in %s%s", err, report.Schema, r.stdout, r.stderr)
	}
	return report
}

func TestTheGoPluginKeepsEveryRule(t *testing.T) {
	t.Parallel()
	w := checkedModule(t)
	r := w.proctor("plugin", "check", testbin.Path("proctor-plugin-go"), "-C", w.dir, "--cases", recordedCases(t), "--json")
	report := checkReport(t, r)
	if report.Outcome != conform.Passed || r.code != 0 || report.Plugin.Name != "go" {
		t.Errorf("exit %d, %s: %s", r.code, report.Outcome, r.stdout)
	}
	w.proctor("plugin", "check", testbin.Path("proctor-plugin-go"), "-C", w.dir, "--cases", recordedCases(t)).
		expect(t, 0, "ok           handshake", "passed: ", "0 failed, 0 not checked")
}

func TestTheForgePluginKeepsEveryRule(t *testing.T) {
	t.Parallel()
	w := newFoundry(t, nil)
	r := w.proctor("plugin", "check", testbin.Path("proctor-plugin-forge"), "-C", checkData(t, "foundry"), "--cases", checkData(t, "forge"), "--json")
	if report := checkReport(t, r); report.Outcome != conform.Passed || r.code != 0 || report.Plugin.Name != "forge" {
		t.Errorf("exit %d, %s: %s", r.code, report.Outcome, r.stdout)
	}
}

// TestAManifestIsComparedAsItsAuthorWritesIt: before packing it has no platforms.
func TestAManifestIsComparedAsItsAuthorWritesIt(t *testing.T) {
	t.Parallel()
	const template = `{"schema": 1, "name": "go", "version": "99.0.0", "protocols": [1], "detect": {"any_file": ["go.mod", "go.work"]},
		"summary": "go test"}`
	w := newModule(t, files{"manifest.json": template, "misspelt.json": strings.Replace(template, "protocols", "protocolz", 1)})
	r := w.proctor("plugin", "check", testbin.Path("proctor-plugin-go"), "--manifest", "manifest.json", "--json")
	var seen string
	for _, p := range checkReport(t, r).Points {
		if p.ID == "manifest" {
			for _, f := range p.Findings {
				seen += f.Seen
			}
		}
	}
	if r.code != exitFailed || !strings.Contains(seen, `"99.0.0" in the manifest`) || strings.Contains(seen, "name is") {
		t.Errorf("exit %d, %q", r.code, seen)
	}
	w.proctor("plugin", "check", testbin.Path("proctor-plugin-go"), "--manifest", "misspelt.json").expect(t, exitUsage, "protocolz")
}

func TestWhatWasNotCheckedHasNotPassed(t *testing.T) {
	t.Parallel()
	w := checkedModule(t)
	w.proctor("plugin", "check", testbin.Path("proctor-plugin-go"), "-C", w.dir).
		expect(t, exitIncomplete, "not checked  golden", "--cases", "this is not a pass")
}

func TestABrokenPluginFailsTheCheck(t *testing.T) {
	t.Parallel()
	w := checkedModule(t)
	cases := filepath.Join(t.TempDir(), "cases")
	if err := os.CopyFS(cases, os.DirFS(recordedCases(t))); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(cases, "red", "want.json")
	text, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	testfiles.Write(t, want, strings.Replace(string(text), `"line": 13`, `"line": 14`, 1))
	w.proctor("plugin", "check", testbin.Path("proctor-plugin-go"), "-C", w.dir, "--cases", cases).
		expect(t, 1, "FAIL         golden", "case red: failure", "line is 13, want 14", "do:")
	w.proctor("plugin", "check", fakePlugin(t, fakeMute)).expect(t, 1, "FAIL         handshake", "only want to chat")
}

func TestACheckThatCannotBeginSaysWhy(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"cases/red/stdout": "x\n", "cases/red/want.json": `{"testz": []}`, "text": "no program\n"})
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"./nowhere"}, exitTool, "cannot start"},
		{[]string{"./text"}, exitTool, "cannot start"},
		{[]string{"./text", "--cases", "cases"}, exitUsage, "testz"},
		{[]string{"./text", "--cases", "nowhere"}, exitUsage, "nowhere"},
		{[]string{"./text", "--manifest", "nowhere"}, exitUsage, "manifest"},
		{[]string{}, exitUsage, "arg"},
		{[]string{testbin.Path("proctor-plugin-go"), "-C", "nowhere"}, exitUsage, "workspace"},
	} {
		w.proctor(append([]string{"plugin", "check"}, c.args...)...).expect(t, c.code, c.says)
	}
}
