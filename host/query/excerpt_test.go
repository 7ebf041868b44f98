package query

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

func failingAt(dir string, files ...string) api.Run {
	run := api.Run{Workspace: dir, Source: &api.Source{}, StartedAt: time.Now().Add(time.Minute), MixedState: true}
	for _, f := range files {
		run.Failures = append(run.Failures, api.Failure{Failure: sdk.Failure{Location: sdk.Location{File: f, Line: 4}}})
	}
	return run
}

func TestAnExcerptIsTheLinesUpToTheFailingOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testfiles.Write(t, filepath.Join(dir, "a.x"), "one\ntwo\nthree\nfour\r\nfive\n")
	run := failingAt(dir, "a.x", "a.x", "missing.x")
	got := Excerpts(t.Context(), nil, run)
	if len(got) != 1 || strings.Join(got[0].Lines, "|") != "two|three|four" || got[0].Edited {
		t.Errorf("%+v", got)
	}
	run.StartedAt = time.Now().Add(-time.Minute)
	if got := Excerpts(t.Context(), nil, run); len(got) != 1 || !got[0].Edited || got[0].Lines != nil {
		t.Errorf("after an edit: %+v", got)
	}
	run.Source = nil
	if got := Excerpts(t.Context(), nil, run); got != nil {
		t.Errorf("of unknown sources: %+v", got)
	}
}

// Where only the declaration of a test is known, its own lines say most.
func TestTheExcerptOfADeclarationIsTheTest(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"func A() {\n\n\tx()\n}\n\nfunc B() {\n}\n":            "func A() {||\tx()|}",
		"function a()\n    public\n{\n    x();\n}\nrest\n":     "function a()|    public|{|    x();|}",
		"  it('a', () => {\n    x()\n  })\n  it('b')\n":        "  it('a', () => {|    x()|  })",
		"def a():\n    x()\n\ndef b():\n":                      "def a():|    x()|",
		"func A() {" + strings.Repeat("\n\tx()", 20) + "\n}\n": "func A() {" + strings.Repeat("|\tx()", maxDeclared-1),
		"func A() {}": "func A() {}",
	} {
		dir := t.TempDir()
		testfiles.Write(t, filepath.Join(dir, "a.x"), "1\n2\n3\n"+source)
		run := failingAt(dir, "a.x")
		run.Failures[0].Precision = sdk.PrecisionDeclaration
		got := Excerpts(t.Context(), nil, run)
		if len(got) != 1 || strings.Join(got[0].Lines, "|") != want || !got[0].Declared || got[0].FirstLine() != 4 {
			t.Errorf("%q: %+v", source, got)
		}
	}
}

// A workspace may be hostile: what it calls a source must not make proctor read anything
// else, wait, or fill the memory.
func TestAnExcerptIsOfNothingButASourceFile(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	testfiles.Write(t, filepath.Join(outside, "secret"), "1\n2\n3\nsecret\n")
	dir := t.TempDir()
	for name, target := range map[string]string{"link": filepath.Join(outside, "secret"), "dir": outside, "zero": "/dev/zero", "inside": "a.x"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	testfiles.Write(t, filepath.Join(dir, "a.x"), "1\n2\n3\n4\n")
	testfiles.Write(t, filepath.Join(dir, "huge"), strings.Repeat("x\n", maxSourceBytes))
	testfiles.Write(t, filepath.Join(dir, "binary"), "1\n2\n3\n\x00\n")
	above, _ := filepath.Rel(dir, filepath.Join(outside, "secret"))
	run := failingAt(dir, "link", "dir/secret", "zero", "inside", above, filepath.Join(outside, "secret"), "/dev/zero", "huge", "binary", ".", "")
	if got := Excerpts(t.Context(), nil, run); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	run = failingAt(dir, "a.x")
	testfiles.Write(t, filepath.Join(dir, "a.x"), "1\n2\n3\n"+strings.Repeat("é", 1000)+"\n")
	if got := Excerpts(t.Context(), nil, run); len(got) != 1 || len(got[0].Lines[2]) > maxSourceLine {
		t.Errorf("a long line: %+v", got)
	}
}
