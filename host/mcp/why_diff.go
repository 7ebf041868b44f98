package mcp

import (
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
)

// diffAnswer tells how the tests of two runs ended otherwise.
func diffAnswer(diff api.RunDiff) answer {
	return fitted(maxAnswerBytes, 0, cutTestNames, func(n int) answer {
		d := cutDiff(diff, n)
		a := answer{text: []string{strings.TrimSpace(render.Diff(d, render.Style{More: noRoom}))}, object: d}
		return a.withNotes(d.Warnings)
	})
}

// cutDiff is a comparison with the first n tests of each list; its counts are
// exact.
func cutDiff(d api.RunDiff, n int) api.RunDiff {
	for _, list := range []*[]api.DiffedTest{&d.NewFailures, &d.FailingNotRun, &d.Fixed, &d.PassedFlaky, &d.PassedOtherwise, &d.StillFailing, &d.Vanished, &d.NewlySkipped, &d.New, &d.Renamed} {
		tests := make([]api.DiffedTest, min(len(*list), n))
		for i := range tests {
			t := (*list)[i]
			t.Suite, t.Test, t.RenamedFrom, t.File = cutListed(t.Suite), cutListed(t.Test), cutListed(t.RenamedFrom), cutListed(t.File)
			t.Kind, t.Message = cutText(t.Kind, cutWordBytes, prose.Line), cutText(t.Message, cutListedBytes, prose.Plain)
			t.Standing = cutStanding(t.Standing)
			tests[i] = t
		}
		*list = tests
	}
	slower := make([]api.SlowerTest, min(len(d.Slower), n))
	for i := range slower {
		t := d.Slower[i]
		t.Suite, t.Test, t.File = cutListed(t.Suite), cutListed(t.Test), cutListed(t.File)
		slower[i] = t
	}
	grown := make([]api.GrownMeasure, min(len(d.More), n))
	for i := range grown {
		m := d.More[i]
		m.Suite, m.Test, m.Section = cutListed(m.Suite), cutListed(m.Test), cutListed(m.Section)
		m.Name, m.Kind = cutText(m.Name, cutWordBytes, prose.Line), cutText(m.Kind, cutWordBytes, prose.Line)
		grown[i] = m
	}
	d.Slower, d.More = slower, grown
	d.Sources = cutChanges(d.Sources, n)
	d.Notes, d.Warnings = cutTexts(d.Notes), cutNotes(d.Warnings)
	for _, run := range []*api.DiffedRun{&d.Before, &d.Now} {
		run.AgeS, run.Source = cutSeconds(run.AgeS), cutSource(run.Source)
		run.SessionID, run.Origin = cutListed(run.SessionID), cutListed(run.Origin)
	}
	return d
}
