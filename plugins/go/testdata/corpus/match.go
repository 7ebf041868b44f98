package corpus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

func (w WantFailure) names(id sdk.TestID) bool {
	suite := id.Suite == w.Suite || slices.Contains(w.SuiteAny, id.Suite)
	return suite && (id.Test == w.Test || slices.Contains(w.TestAny, id.Test))
}

func (w WantFailure) kind(kind string) bool {
	return w.Kind == "?" || slices.Contains(strings.Split(w.Kind, "|"), kind)
}

func (w WantFailure) place(l sdk.Location) bool {
	if w.AnyPlace {
		return true
	}
	p := WantPlace{l.File, l.Line}
	return p == w.WantPlace || slices.Contains(w.PlaceAny, p)
}

func (w WantFailure) message(text string) bool {
	return strings.Contains(flat(text), flat(w.Message)) &&
		(w.MessageExcludes == "" || !strings.Contains(flat(text), flat(w.MessageExcludes)))
}

// likeness ranks the records of one test by how well they match.
func (w WantFailure) likeness(f sdk.Failure) int {
	return 4*one(w.kind(f.Kind)) + 2*one(w.place(f.Location)) + one(w.message(f.Message))
}

func (w WantFailure) differences(f sdk.Failure) []string {
	var ps []string
	add := func(format string, args ...any) { ps = append(ps, fmt.Sprintf(format, args...)) }
	if !w.kind(f.Kind) {
		add("kind is %s, want %s", f.Kind, w.Kind)
	}
	if !w.place(f.Location) {
		add("place is %s:%d, want %s:%d", f.Location.File, f.Location.Line, w.File, w.Line)
	}
	if !w.message(f.Message) {
		add("message is %q, want a part %q and none %q", short(f.Message), w.Message, w.MessageExcludes)
	}
	var lines []int
	var messages []string
	for _, a := range f.Also {
		lines, messages = append(lines, a.Location.Line), append(messages, flat(a.Message))
	}
	for _, part := range w.AlsoContain {
		if !strings.Contains(strings.Join(messages, "\n"), flat(part)) {
			add("no further message has %q: %q", part, messages)
		}
	}
	for _, l := range w.AlsoLines {
		if !slices.Contains(lines, l) {
			add("further messages are at lines %v, %d is missing", lines, l)
		}
	}
	for _, l := range w.NotAlsoLines {
		if slices.Contains(lines, l) {
			add("further messages are at lines %v, and should not be at %d", lines, l)
		}
	}
	if t := w.TestFrame; t != nil && (WantPlace{f.TestFrame.File, f.TestFrame.Line}) != *t {
		add("test frame is %s:%d, want %s:%d", f.TestFrame.File, f.TestFrame.Line, t.File, t.Line)
	}
	if d := w.Diff; d != nil {
		for _, side := range [][3]string{{"got", f.Diff.Got, d.Got}, {"want", f.Diff.Want, d.Want}, {"text", f.Diff.Text, d.Text}} {
			if !strings.Contains(flat(side[1]), flat(side[2])) {
				add("diff %s is %q, want %q", side[0], short(side[1]), side[2])
			}
			if side[1] != "" && slices.Contains(d.None, side[0]) {
				add("diff %s is %q, but should be empty", side[0], short(side[1]))
			}
		}
	}
	if w.Blocks != nil {
		got, want := slices.Sorted(slices.Values(f.Blocks)), slices.Sorted(slices.Values(w.Blocks))
		if !slices.Equal(got, want) {
			add("blocks %v, want %v", got, want)
		}
	}
	if w.DerivedFrom != "" && !slices.ContainsFunc(f.DerivedFrom, func(id sdk.TestID) bool { return id.Test == w.DerivedFrom }) {
		add("derived from %v, want %s", f.DerivedFrom, w.DerivedFrom)
	}
	if w.Repro != "" && !strings.Contains(strings.ReplaceAll(strings.Join(f.Repro.Argv, " "), "$/^", "/"), w.Repro) {
		add("repro is %q, want a part %q", f.Repro.Argv, w.Repro)
	}
	if w.Output != "" && !strings.Contains(flat(f.Output), flat(w.Output)) {
		add("output is %q, want a part %q", short(f.Output), w.Output)
	}
	return ps
}

func (w WantFailure) title() string { return strings.TrimSpace(w.Suite + " " + w.Test) }

func (w WantFailure) describe() string {
	return fmt.Sprintf("%s %s %s:%d %q", w.title(), w.Kind, w.File, w.Line, w.Message)
}

func describe(f sdk.Failure) string {
	return fmt.Sprintf("%s %s %s %s:%d %q", f.Suite, f.Test, f.Kind, f.Location.File, f.Location.Line, short(f.Message))
}

// flat collapses white space, as go-cmp writes U+00A0 in places at random.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

func short(s string) string {
	const keep = 200
	if len(s) > keep {
		return s[:keep] + "…"
	}
	return s
}
