package main

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/bench/internal/outcome"
)

// judged makes a trial judge one edit of a module with two suites.
func judged(t *testing.T, now outcome.Suites, run string) (*trial, string) {
	t.Helper()
	base := outcome.Suites{
		"a": {Built: true, Tests: map[string]string{"TestA": outcome.Passed, "TestB": outcome.Passed}},
		"b": {Built: true, Tests: map[string]string{"TestC": outcome.Passed}},
	}
	for name, s := range base {
		if _, ok := now[name]; !ok {
			now[name] = s
		}
	}
	var r affectedRun
	if err := json.Unmarshal([]byte(run), &r); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	tr := &trial{work: work{bench: &bench{out: io.Discard, log: &log}, dir: t.TempDir()}, prepared: prepared{Base: base}}
	if err := tr.judge(t.Context(), "an edit", now, r); err != nil {
		t.Fatal(err)
	}
	return tr, log.String()
}

func TestAChangedOutcomeThatWasNotRunIsAMiss(t *testing.T) {
	failed := func() outcome.Suites {
		return outcome.Suites{"a": {Built: true, Tests: map[string]string{"TestA": outcome.Failed, "TestB": outcome.Passed}}}
	}
	broken := func() outcome.Suites { return outcome.Suites{"b": {Tests: map[string]string{}}} }
	for name, c := range map[string]struct {
		now           outcome.Suites
		run           string
		misses, green int
	}{
		"the test was run":            {failed(), `{"verdict":"failed","affected":{"chosen":[{"suite":"a","test":"TestA"}]}}`, 0, 0},
		"its suite was run":           {failed(), `{"verdict":"failed","affected":{"chosen":[{"suite":"a"}]}}`, 0, 0},
		"everything was run":          {failed(), `{"verdict":"failed","affected":{"everything":"why"}}`, 0, 0},
		"another test was run":        {failed(), `{"verdict":"failed","affected":{"chosen":[{"suite":"a","test":"TestB"}]}}`, 1, 0},
		"another suite was run":       {failed(), `{"verdict":"failed","affected":{"chosen":[{"suite":"b","test":"TestA"}]}}`, 1, 0},
		"the suite was only built":    {failed(), `{"verdict":"failed","affected":{"build_only":["a"]}}`, 1, 0},
		"it was run and passed":       {failed(), `{"verdict":"passed","affected":{"chosen":[{"suite":"a"}]}}`, 1, 1},
		"nothing ran":                 {failed(), `{"verdict":"nothing_ran","affected":{}}`, 1, 1},
		"a broken suite was built":    {broken(), `{"verdict":"build_failed","affected":{"build_only":["b"]}}`, 0, 0},
		"a test of it was run":        {broken(), `{"verdict":"build_failed","affected":{"chosen":[{"suite":"b","test":"TestC"}]}}`, 0, 0},
		"a broken suite was left out": {broken(), `{"verdict":"passed","affected":{"chosen":[{"suite":"a"}]}}`, 1, 1},
		"no outcome changed":          {outcome.Suites{}, `{"verdict":"nothing_ran","affected":{}}`, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			tr, log := judged(t, c.now, c.run)
			if tr.misses != c.misses || tr.green != c.green || strings.Contains(log, "MISSED") != (c.misses > 0) {
				t.Errorf("%d misses, %d green, want %d and %d\n%s", tr.misses, tr.green, c.misses, c.green, log)
			}
		})
	}
}

func TestTheShareIsOfAllTests(t *testing.T) {
	var r affectedRun
	r.Affected.Chosen = append(r.Affected.Chosen, struct{ Suite, Test string }{"a", "TestA"})
	all := outcome.Suites{"a": {Tests: map[string]string{"TestA": "", "TestB": ""}}, "b": {Tests: map[string]string{"TestA": "", "TestC": ""}}}
	if got := r.share(all); got != 0.25 {
		t.Errorf("share %v, want a quarter", got)
	}
}
