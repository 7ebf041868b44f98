package mcp

import (
	"fmt"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

// How many failures at one place have full details. The rest mostly say the same of
// another case: their texts are limited to this many lines and bytes.
const (
	fullAtOnePlace = 2
	repeatedLines  = 8
	repeatedBytes  = 300
)

// cutFailures returns failures for an answer, and the first with fewer details because
// others at its place have full ones; their number if there is none.
func cutFailures(failures []api.Failure) (cut []api.Failure, short int) {
	cut, short = make([]api.Failure, len(failures)), len(failures)
	counts := map[place]int{}
	for i, f := range failures {
		cut[i] = cutFailure(f)
		at := place{Suite: f.Suite, File: f.File, Line: f.Line}
		if counts[at]++; counts[at] > fullAtOnePlace && f.Line > 0 {
			if whole := cut[i]; cutRepeated(&cut[i], f) {
				short = min(short, i)
			} else {
				cut[i] = whole
			}
		}
	}
	return cut, short
}

// cutRepeated shortens the texts of a failure further, and reports whether that omits
// anything. f is the whole failure.
func cutRepeated(cut *api.Failure, f api.Failure) (less bool) {
	trim := func(whole string) string {
		text, short := cutRepeatedText(whole)
		less = less || short
		return text
	}
	told := render.Told(f)
	cut.Message = trim(told.Message)
	cut.Diff = sdk.Diff{Got: trim(told.Diff.Got), Want: trim(told.Diff.Want), Text: trim(told.Diff.Text)}
	less = less || told.Diff != f.Diff
	attributes := cut.Attributes
	cut.Attributes = nil
	for key, value := range attributes {
		if cut.Attributes == nil {
			cut.Attributes = map[string]string{}
		}
		cut.Attributes[key] = trim(value)
	}
	also := cut.Also
	cut.Also = nil
	for _, a := range also[:min(len(also), 1)] {
		a.Message = trim(a.Message)
		cut.Also = append(cut.Also, a)
	}
	if left := len(render.FoldAlso(f)) - len(cut.Also); left > 0 {
		cut.Also, less = append(cut.Also, sdk.Also{Message: moreOf(left)}), true
	}
	return less
}

// cutRepeatedText shortens the text of a failure that is one of many at its place.
func cutRepeatedText(whole string) (text string, short bool) {
	looked := upToRune(whole, 4*cutMessageBytes)
	clean := prose.Plain(looked)
	text = upToRune(render.Shorten(clean, repeatedLines, ""), repeatedBytes)
	if text == clean && len(looked) == len(whole) {
		return text, false
	}
	return fmt.Sprintf("%s… [cut: %d bytes in all]", text, len(whole)), true
}

// cutStale returns what changed since, with names of bounded length.
func cutStale(s *api.Stale) *api.Stale {
	if s == nil {
		return nil
	}
	cut := *s
	cut.Files, cut.Suites = cutList(s.Files), cutList(s.Suites)
	return &cut
}

// cutList are the first of some names.
func cutList(names []string) []string { return limit(names[:min(len(names), cutTestNames)]) }
