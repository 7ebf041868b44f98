package gotest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/proctorhq/proctor/plugins/go/testdata/corpus"
	"github.com/proctorhq/proctor/sdk"
)

// messageLimit is far above what a reader needs and far below what hurts.
const messageLimit = 64 << 10

// These properties hold for every report.
func TestCorpusReportsAreWellFormed(t *testing.T) {
	for _, c := range loadCorpus(t) {
		t.Run(c.Name, func(t *testing.T) {
			r := replayOf(t, c)
			got := r.feed(t, feeding{})
			for _, f := range got.Failures {
				checkFailure(t, r.run.Workspace.Root, f)
			}
			checkTests(t, r.run.Workspace.Root, got.Tests)
		})
	}
}

func checkFailure(t *testing.T, root string, f sdk.Failure) {
	t.Helper()
	name := fmt.Sprintf("failure of %s %s", f.Suite, f.Test)
	if f.Kind == "" || f.Message == "" {
		t.Errorf("%s: kind %q, message %q", name, f.Kind, f.Message)
	}
	places := []sdk.Location{f.Location, f.TestFrame}
	texts := []string{f.Message, f.Output, f.Diff.Got, f.Diff.Want, f.Diff.Text}
	for _, a := range f.Also {
		places, texts = append(places, a.Location), append(texts, a.Message)
	}
	for _, s := range f.Stack {
		places = append(places, s.Location)
	}
	for _, l := range places {
		checkLocation(t, name, root, l)
	}
	for _, text := range texts {
		if !utf8.ValidString(text) || len(text) > messageLimit {
			t.Errorf("%s: a text of %d bytes, valid UTF-8: %t", name, len(text), utf8.ValidString(text))
		}
	}
	if f.Test != "" {
		if argv := strings.Join(f.Repro.Argv, " "); !strings.HasPrefix(argv, "go test ") || !strings.Contains(argv, f.Suite) && f.Repro.Dir == "" {
			t.Errorf("%s: repro %q in %q", name, argv, f.Repro.Dir)
		}
	}
	for _, id := range f.DerivedFrom {
		if id == f.TestID {
			t.Errorf("%s: derived from itself", name)
		}
	}
}

// checkLocation checks that a place has the form that the contract requires, and
// exists.
func checkLocation(t *testing.T, name, root string, l sdk.Location) {
	t.Helper()
	if l.File == "" {
		if l.Line != 0 {
			t.Errorf("%s: line %d of no file", name, l.Line)
		}
		return
	}
	if strings.HasPrefix(l.File, root) || strings.Contains(l.File, `\`) || strings.HasPrefix(l.File, "./") {
		t.Errorf("%s: place %s is not relative to the root", name, l.File)
	}
	if filepath.IsAbs(l.File) {
		return
	}
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(l.File)))
	if err != nil {
		t.Errorf("%s: place %s:%d: %v", name, l.File, l.Line, err)
	} else if n := bytes.Count(data, []byte("\n")); l.Line > n {
		t.Errorf("%s: place %s:%d, and the file has %d lines", name, l.File, l.Line, n)
	}
}

func checkTests(t *testing.T, root string, tests []sdk.TestResult) {
	t.Helper()
	for _, r := range tests {
		top, _, sub := strings.Cut(r.Test, "/")
		if want := map[bool]string{true: top}[sub]; r.Root != want {
			t.Errorf("%s: root is %q, want %q", r.Test, r.Root, want)
		}
		if r.Derived && (r.Status != sdk.Failed || !r.Container) {
			t.Errorf("%s: derived, status %s, container %t", r.Test, r.Status, r.Container)
		}
		contains := false
		for _, o := range tests {
			contains = contains || o.Suite == r.Suite && strings.HasPrefix(o.Test, r.Test+"/")
		}
		if r.Container != contains {
			t.Errorf("%s: container is %t, want %t", r.Test, r.Container, contains)
		}
		if r.Location.File != "" {
			checkLocation(t, r.Test, root, r.Location)
		}
		if !sub {
			checkDeclaration(t, root, r)
		}
	}
}

// checkDeclaration checks that a listed test's place is its function.
func checkDeclaration(t *testing.T, root string, r sdk.TestResult) {
	t.Helper()
	if r.Location.File == "" {
		if strings.HasPrefix(r.Test, "TestGhost") || r.Suite == "command-line-arguments" {
			return // forged, or of a package without a directory
		}
		t.Errorf("%s %s: the place of its declaration is missing", r.Suite, r.Test)
		return
	}
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(r.Location.File)))
	if err != nil {
		t.Error(err)
		return
	}
	lines := strings.Split(string(data), "\n")
	if n := r.Location.Line; n < 1 || n > len(lines) || !strings.HasPrefix(lines[n-1], "func "+r.Test+"(") {
		t.Errorf("%s: %s:%d does not declare it", r.Test, r.Location.File, r.Location.Line)
	}
}

// The whole output of a test is what the tool printed under its name.
func TestCorpusGivesTheWholeOutputOfATest(t *testing.T) {
	for _, c := range loadCorpus(t) {
		if c.Meta.Edit != nil {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			r := replayOf(t, c)
			whole := joinOutputs(r.stdout)
			checked := 0
			for _, res := range r.feed(t, feeding{}).Tests {
				if res.Container || checked == 4 {
					continue
				}
				checked++
				one := r
				one.run.OutputOf = res.TestID
				got := strings.Join(outputEvents(one.feed(t, feeding{})), "")
				if want := whole[res.TestID]; got != want {
					t.Errorf("%s: %d bytes of output, want %d:\n%.300q\n%.300q", res.Test, len(got), len(want), got, want)
				}
			}
		})
	}
}

func outputEvents(o *corpus.Observed) []string {
	var pieces []string
	for _, e := range o.Events() {
		if text, ok := strings.CutPrefix(e, "output "); ok {
			pieces = append(pieces, text)
		}
	}
	return pieces
}

// joinOutputs joins the output events of each test with the plain decoder.
func joinOutputs(stream []byte) map[sdk.TestID]string {
	all := map[sdk.TestID]*strings.Builder{}
	for line := range bytes.Lines(stream) {
		var e struct{ Action, Package, Test, Output string }
		if json.Unmarshal(line, &e) != nil || e.Action != "output" {
			continue
		}
		id := sdk.TestID{Suite: e.Package, Test: e.Test}
		if all[id] == nil {
			all[id] = &strings.Builder{}
		}
		all[id].WriteString(e.Output)
	}
	texts := map[sdk.TestID]string{}
	for id, b := range all {
		texts[id] = b.String()
	}
	return texts
}
