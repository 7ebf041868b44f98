package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestARunMeasuresCoverageOnlyWhereTheFileSaysSo(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "[run]\n": false, "[run]\ncover = false\n": false, "[run]\ncover = true\n": true, "run.cover = true": true,
	} {
		if got, err := Load(workspace(t, text), ""); err != nil || isCovered(got) != want {
			t.Errorf("%q: %+v, %v", text, got.Run, err)
		}
	}
}

func TestABooleanSettingIsTrueOrFalse(t *testing.T) {
	for text, says := range map[string]string{
		"[run]\ncover = \"true\"\n": `run.cover is the text "true"; it must be true or false, without quotes`,
		"[run]\ncover = 1\n":        "run.cover is 1; it must be true or false",
		"[run]\ncovers = true\n":    "run.covers is unknown; did you mean `cover`?",
		"cover = true\n":            "cover is unknown here; it belongs below [run]",
	} {
		got, err := Load(workspace(t, text), "")
		if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(e.Error(), says) || !cmp.Equal(got, Config{}) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func isCovered(c Config) bool {
	cover := c.Run.Options(func(string) bool { return false }).Cover
	return cover != nil && *cover
}

func TestAFileSetsTheDefaultsOfRuns(t *testing.T) {
	got, err := Load(workspace(t, `[run]
args = ["-race"]
timeout = "90m"
format = "dots"
retries = 2
retry-limit = 10
slow = "2s"
cached = true
flaky = "pass"
[run.forge]
retries = 0
timeout = "0"
`), "")
	if err != nil {
		t.Fatal(err)
	}
	o := got.Run.Options(func(name string) bool { return name == "go" })
	if !slices.Equal(o.Args.Words, []string{"-race"}) || o.Args.Line != 2 || o.Args.Personal || *o.Timeout != 90*time.Minute || o.Format != "dots" || *o.Retries != 2 ||
		*o.RetryLimit != 10 || *o.Slow != 2*time.Second || !*o.Cached || !*o.FlakyPasses || o.Cover != nil {
		t.Errorf("%+v", o)
	}
	o = got.Run.Options(func(name string) bool { return name == "forge" })
	if *o.Retries != 0 || *o.Timeout != 0 || *o.RetryLimit != 10 {
		t.Errorf("a language goes before: %+v", o)
	}
}

// The project's settings decide results, the user's how they look.
func TestTheProjectOverridesTheUserExceptInHowRunsLook(t *testing.T) {
	own := filepath.Join(t.TempDir(), "config.toml")
	write := func(text string) {
		t.Helper()
		testfiles.Write(t, own, text)
	}
	write("[run]\nformat = \"dots\"\nslow = \"0\"\nretries = 5\ncached = true\npost-run-command = \"notify-send done\"\n[run.go]\nargs = [\"-exec\", \"sudo\"]\n")
	root := workspace(t, "[run]\nformat = \"quiet\"\nslow = \"2s\"\nretries = 1\n")
	got, err := Load(root, own)
	if err != nil {
		t.Fatal(err)
	}
	o := got.Run.Options(func(name string) bool { return name == "go" })
	if o.Format != "dots" || *o.Slow != 0 || *o.Retries != 1 || !*o.Cached || o.PostRunCommand != "notify-send done" || !o.Args.Personal || o.Args.File != own || o.Args.Line != 8 {
		t.Errorf("%+v", o)
	}
	for text, says := range map[string]string{
		"[run]\nflaky = \"pass\"\n": ":2: run.flaky belongs in the project's file; it decides verdicts",
		"[history]\nruns = 1\n":     ":1: history is about a workspace; it belongs in the .proctor.toml there",
		"env = []\n":                ":1: env is about a workspace",
		"[rum]\n":                   ":1: rum is unknown; did you mean `run`?",
	} {
		write(text)
		if _, err := Load(root, own); err == nil || !strings.Contains(err.Error(), own+says) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(root, own); err != nil {
		t.Error(err)
	}
}

func TestDefaultsThatNoRunCanHaveAreRefused(t *testing.T) {
	for text, says := range map[string]string{
		"[run]\nargs = \"-race\"\n":              `:2: run.args is the text "-race"; it must be a list of at most 100 arguments`,
		"[run]\nargs = [\"\"]\n":                 ":2: run.args is a list",
		"[run]\ntimeout = 90\n":                  `:2: run.timeout is 90; it must be a time in quotes`,
		"[run]\ntimeout = \"-1s\"\n":             `run.timeout is the text "-1s"`,
		"[run]\ntimeout = \"1001h\"\n":           `up to "1000h"`,
		"[run]\nretries = 101\n":                 "a whole number from 0 to 100",
		"[run]\nflaky = \"ignore\"\n":            "one of fail, pass",
		"[run]\nformat = \"json\"\n":             "one of default, pkgname",
		"[run]\n\n[run.go]\nretrys = 1\n":        ":4: run.go.retrys is unknown; did you mean `retries`?",
		"[run]\n[run.go]\nformat = \"dots\"\n":   ":3: run.go.format is unknown",
		"[run.Go]\nretries = 1\n":                ":1: run.Go is unknown",
		"[run]\ngo = { retries = -1 }\n":         ":2: run.go.retries is -1",
		"[run]\npost-run-command = \"./x\"\n":    ":2: run.post-run-command belongs in the user's own file; a project's file executes nothing",
		"[run.go]\npost-run-command = \"./x\"\n": ":2: run.go.post-run-command is unknown",
		"retries = 1\n":                          "it belongs below [run]",
		"[run]\nretries.x = 1\n":                 ":2: run.retries is a table",
	} {
		if _, err := Load(workspace(t, text), ""); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTheProjectsRetriesAreThoseOfARunUnlessItAsksForOthers(t *testing.T) {
	n := func(n int) *int { return &n }
	yes := true
	for _, c := range []struct {
		most, limit *int
		options     Options
		want        Retries
	}{
		{nil, nil, Options{}, Retries{Limit: 10}},
		{nil, nil, Options{Retries: n(2), RetryLimit: n(5), FlakyPasses: &yes}, Retries{2, 5, true}},
		{n(0), n(7), Options{Retries: n(2), RetryLimit: n(5)}, Retries{0, 7, false}},
	} {
		if got := c.options.RetriesWith(c.most, c.limit, 10); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.options, got, c.want)
		}
	}
}
