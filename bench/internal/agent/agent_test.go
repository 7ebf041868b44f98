package agent

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestFourCharactersAreATokenHoweverManyBytes(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "four": 1, "fives": 2, "äöüß": 1} {
		if got := costOf(text).Tokens(); got != want {
			t.Errorf("%q: %d tokens, want %d", text, got, want)
		}
	}
	if sum := costOf("äöüß").Plus(costOf("a")); sum != (Cost{Texts: 2, Bytes: 9, Chars: 5}) {
		t.Errorf("got %+v", sum)
	}
}

// script is a workplace that returns prepared results, one after another.
type script struct {
	results []result
	asked   []string
}

func (s *script) next(what string) (result, error) {
	s.asked = append(s.asked, what)
	if len(s.results) == 0 {
		return result{}, errors.New("no results are left")
	}
	r := s.results[0]
	s.results = s.results[1:]
	return r, nil
}

func (s *script) everything(context.Context) (result, error) { return s.next("everything") }
func (s *script) failing(context.Context) (result, error)    { return s.next("failing") }
func (s *script) more(context.Context) (result, error)       { return s.next("more") }

func TestTheLoopGoesWhereResultsLead(t *testing.T) {
	green := result{passed: true}
	leads, silent := result{complaints: []string{"a.go:1: broken"}}, result{complaints: []string{"a.go:1: failed", "b.go:1: broken"}}
	stuck := func(err error) bool { var e *StuckError; return errors.As(err, &e) }
	hidden := func(err error) bool { return err != nil && strings.Contains(err.Error(), "still faults in a.go") }
	done := func(err error) bool { return err == nil }
	for name, c := range map[string]struct {
		results []result
		asked   []string
		ends    func(error) bool
	}{
		"to the place that is named":          {[]result{leads, green, green}, []string{"everything", "failing", "everything"}, done},
		"to what else there is to read":       {[]result{silent, leads, green, green}, []string{"everything", "more", "failing", "everything"}, done},
		"on while something is outstanding":   {[]result{leads, {}, green, green}, []string{"everything", "failing", "failing", "everything"}, done},
		"nowhere if nothing is said":          {[]result{silent, silent}, []string{"everything", "more"}, stuck},
		"to no end before everything has run": {[]result{leads, green, silent, silent}, []string{"everything", "failing", "everything", "more"}, stuck},
		"not past a hidden fault":             {[]result{green}, []string{"everything"}, hidden},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			testfiles.Write(t, filepath.Join(dir, "a.go"), "wrong")
			job := Job{Dir: dir, Kept: io.Discard, Faults: []Fault{{File: "a.go", Right: "right", Wrong: "wrong", Sign: "a.go:", Says: "broken"}}}
			s := &script{results: c.results}
			if err := job.work(t.Context(), s); !c.ends(err) {
				t.Errorf("ended with %v", err)
			}
			if !slices.Equal(s.asked, c.asked) {
				t.Errorf("asked for %q, want %q", s.asked, c.asked)
			}
		})
	}
}

func TestALoopThatGoesNowhereEnds(t *testing.T) {
	var stuck *StuckError
	err := Job{Dir: t.TempDir(), Kept: io.Discard}.work(t.Context(), &script{results: make([]result, 2*maxRuns)})
	if !errors.As(err, &stuck) || stuck.Runs != maxRuns {
		t.Errorf("got %v", err)
	}
}

func TestTheShellRerunsWhatFailed(t *testing.T) {
	const text = `ok  	m/fine	0.1s
# m/built [m/built.test]
built/b_test.go:3:1: undefined: x
FAIL	m/built [build failed]
--- FAIL: TestB (0.00s)
    --- FAIL: TestB/one (0.00s)
--- FAIL: TestB/one (0.00s)
--- FAIL: TestA (0.00s)
FAIL
FAIL	m/red	0.1s
--- FAIL: TestC (0.00s)
panic: oh no [recovered, repanicked]

goroutine 7 [running]:
FAIL	m/panicked	0.1s
FAIL
`
	var r red
	r.add(text)
	if want := []string{"m/built", "m/panicked"}; !slices.Equal(r.whole, want) {
		t.Errorf("whole: %q, want %q", r.whole, want)
	}
	if want := []string{"TestA", "TestB"}; !slices.Equal(r.tests, want) {
		t.Errorf("tests: %q, want %q", r.tests, want)
	}
	if want := []string{"m/red"}; !slices.Equal(r.suites, want) {
		t.Errorf("their packages: %q, want %q", r.suites, want)
	}
}

func TestEventsAreReadPackageByPackage(t *testing.T) {
	const events = `{"ImportPath":"m/a [m/a.test]","Action":"build-output","Output":"# m/a\n"}
{"Action":"output","Package":"m/b","Output":"--- FAIL: T\n"}
a line that is no event
{"Action":"output","Package":"m/a","Output":"FAIL\tm/a [build failed]\n"}
{"Action":"output","Package":"m/b","Output":"FAIL\tm/b\t0.1s\n"}
`
	const want = "# m/a\nFAIL\tm/a [build failed]\n--- FAIL: T\nFAIL\tm/b\t0.1s\n"
	if got := attributedOutput([]byte(events)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGreenNeedsMoreThanAnExitCode(t *testing.T) {
	for text, want := range map[string]bool{
		"passed: 3 tests passed\n3 passed, 0 failed, 1 suite, 1s, go, run x\nexit: 0":                               true,
		"passed: 3 tests passed\n3 passed, 0 failed, 1 suite, 1s, go, run x; 2 tests, 1 suite outstanding\nexit: 0": false,
		"2 tests still outstanding: failed\nexit: 0":                                                                false,
		"nothing is outstanding any more\nexit: 0":                                                                  true,
		"failed: 1 failure\nexit: 1":                                                                                false,
		"run x is running: suites done: 0":                                                                          false,
	} {
		if got := parseText(text).passed; got != want {
			t.Errorf("%q: passed is %v", text, got)
		}
	}
	for object, want := range map[string]bool{
		`{"status":"passed","outstanding":0}`: true,
		`{"status":"passed","outstanding":1}`: false,
		`{"status":"failed"}`:                 false,
		`{}`:                                  false,
	} {
		if got, err := parseObject(object); err != nil || got.passed != want {
			t.Errorf("%s: passed is %v, %v", object, got.passed, err)
		}
	}
}

func TestFailuresAreReadFromBothForms(t *testing.T) {
	const text = `1. m/a TestX/one [panic]
   a/a.go:3, from a/a_test.go:9
   index out of range

2. m/b [build]
   b/b_test.go:5
   undefined: y

failed: 2 failures
exit: 1`
	const object = `{"status":"failed","failures":[
		{"id":"i1","suite":"m/a","test":"TestX/one","file":"a/a.go","line":3,"message":"index out of range"},
		{"id":"i2","suite":"m/b","file":"b/b_test.go","line":5,"message":"wrong","diff":{"got":"1","want":"undefined: y"}}]}`
	faults := []Fault{{Sign: "a/a.go:3", Says: "index out of range"}, {Sign: "b/b_test.go:5", Says: "undefined: y"}}
	fromObject, err := parseObject(object)
	if err != nil {
		t.Fatal(err)
	}
	for form, c := range map[string]struct {
		got   reply
		names []string
	}{
		"text":   {parseText(text), []string{"m/a TestX/one", "m/b"}},
		"object": {fromObject, []string{"i1", "i2"}},
	} {
		if len(c.got.failures) != 2 {
			t.Errorf("%s: %d failures", form, len(c.got.failures))
			continue
		}
		for i, f := range c.got.failures {
			if f.name != c.names[i] || !faults[i].isShownBy(f.text) || faults[1-i].isShownBy(f.text) {
				t.Errorf("%s: failure %d is %+v", form, i, f)
			}
		}
	}
}
