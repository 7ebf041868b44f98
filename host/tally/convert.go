package tally

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// Conversions between a plugin's types and the record's. They are dull and all
// in one place.

func statusOf(s sdk.Status) api.Status {
	switch s {
	case sdk.Passed:
		return api.TestPassed
	case sdk.Failed:
		return api.TestFailed
	case sdk.Skipped:
		return api.TestSkipped
	}
	// Also what a newer plugin may send: it is not known to have ended well.
	return api.TestUnfinished
}

func resultOf(t sdk.TestResult) api.Result {
	return api.Result{
		Suite: t.ID.Suite, Test: t.ID.Name, Status: statusOf(t.Status), DurationS: t.Elapsed.Seconds(),
		File: t.Location.File, Line: t.Location.Line, Body: t.Body, Root: t.Root, Container: t.Container, Derived: t.Derived,
		Fixture: t.Fixture, Measures: measuresOf(t.Measures), Attributes: t.Attributes,
	}
}

// measuresOf leaves out what is no number.
func measuresOf(measures []sdk.Measure) []api.Measure {
	var kept []api.Measure
	for _, m := range measures {
		if json.Valid([]byte(m.Value)) && strings.Trim(m.Value, "-+.0123456789eE") == "" {
			kept = append(kept, api.Measure{
				Name: m.Name, Value: json.Number(m.Value), Kind: m.Kind, Section: m.Section, Runs: m.Runs, Seed: m.Seed,
			})
		}
	}
	return kept
}

func precisionOf(p sdk.Precision) api.Precision {
	switch p {
	case sdk.PrecisionDeclaration, sdk.PrecisionDeclarationOnly:
		return api.Declaration
	case sdk.PrecisionExact:
		return api.Exact
	}
	return ""
}

func testOf(id sdk.TestID) api.Test { return api.Test{Suite: id.Suite, Test: id.Name} }

func IDOf(t api.Test) sdk.TestID { return sdk.TestID{Suite: t.Suite, Name: t.Test} }

func FailureOf(f sdk.Failure, id string) api.Failure {
	r := api.Failure{
		ID: id, Suite: f.ID.Suite, Test: f.ID.Name, Kind: f.Kind,
		File: f.Location.File, Line: f.Location.Line, Column: f.Location.Column,
		Precision: precisionOf(f.Precision), NoLine: f.Precision == sdk.PrecisionDeclarationOnly,
		Message: f.Message, Output: f.Output, OutputTruncated: f.OutputTruncated,
		Blocks: f.Blocks, Repro: shellLine(f.Repro), Attributes: f.Attributes,
	}
	if f.TestFrame.File != "" {
		r.TestFrame = &api.Place{File: f.TestFrame.File, Line: f.TestFrame.Line}
	}
	if !f.Diff.IsZero() {
		r.Diff = &api.Diff{Got: f.Diff.Got, Want: f.Diff.Want, Text: f.Diff.Text}
	}
	for _, a := range f.Also {
		r.Also = append(r.Also, api.Also{File: a.Location.File, Line: a.Location.Line, Message: a.Message})
	}
	for _, s := range f.Stack {
		r.Stack = append(r.Stack, api.Frame{Function: s.Function, File: s.Location.File, Line: s.Location.Line})
	}
	for _, d := range f.DerivedFrom {
		r.DerivedFrom = append(r.DerivedFrom, testOf(d))
	}
	return r
}

// shellLine writes a command so that it can be pasted into a shell.
func shellLine(c sdk.Command) string {
	if len(c.Argv) == 0 {
		return ""
	}
	var words []string
	keys := make([]string, 0, len(c.Env))
	for k := range c.Env {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		words = append(words, k+"="+prose.ShellWord(c.Env[k]))
	}
	line := strings.Join(append(words, prose.ShellLine(c.Argv)), " ")
	if c.Dir != "" && c.Dir != "." {
		line = fmt.Sprintf("(cd %s && %s)", prose.ShellWord(c.Dir), line)
	}
	return line
}
