package concise

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// Also returns the further messages of a failure, with repetitions folded and
// counted: a check in a loop repeats its message many times. The accesses of a race are often
// in one line, which is told once.
func Also(f api.Failure) []sdk.Also {
	// Messages may be megabytes long, so each is hashed once.
	at := make(map[sdk.Also]int, len(f.Also))
	var folded []sdk.Also
	var counts []int
	for _, a := range f.Also {
		a.Column = 0 // a line is precise enough
		if f.Kind == sdk.KindRace && a.File == f.File && a.Line == f.Line && strings.Contains(f.Message, "\n"+a.Message+" in ") {
			continue
		}
		i, known := at[a]
		if !known {
			i = len(folded)
			at[a] = i
			folded, counts = append(folded, a), append(counts, 0)
		}
		counts[i]++
	}
	self := sdk.Also{Location: sdk.Location{File: f.File, Line: f.Line}, Message: f.Message}
	for i, a := range folded {
		switch n := counts[i]; {
		case a == self && n == 1:
			folded[i].Message = "the same again"
		case a == self:
			folded[i].Message = fmt.Sprintf("the same again, %d times", n)
		case n > 1:
			first, rest, more := strings.Cut(strings.TrimLeft(a.Message, "\n"), "\n")
			if folded[i].Message = fmt.Sprintf("%s (%d times)", first, n); len(first) > maxWidth {
				folded[i].Message = fmt.Sprintf("(%d times) %s", n, first) // its end may be cut
			}
			if more {
				folded[i].Message += "\n" + rest
			}
		}
	}
	return folded
}

// maxPlaces is how many places of one further message are named.
const maxPlaces = 5

// AlsoLines formats the further messages of a failure, a line for each with all of its
// places: what a build lacks is often used in many.
func AlsoLines(f api.Failure) []string {
	var messages []string
	places := map[string][]sdk.Location{}
	for _, a := range Also(f) {
		message := api.Headline(a.Message, sdk.Diff{})
		if _, known := places[message]; !known {
			messages = append(messages, message)
		}
		places[message] = append(places[message], a.Location)
	}
	lines := make([]string, 0, len(messages))
	for _, message := range messages {
		line := "also "
		if at := listPlaces(places[message]); at != "" {
			line += at + ": "
		}
		lines = append(lines, prose.Line(line+message))
	}
	return lines
}

// listPlaces lists places, naming a file once for lines that follow each other.
func listPlaces(all []sdk.Location) string {
	text, file := "", ""
	for i, at := range all[:min(len(all), maxPlaces)] {
		switch {
		case i > 0 && at.File == file && at.Line > 0:
			text += fmt.Sprintf(", %d", at.Line)
		case text != "" && at.File != "":
			text += ", " + Place(at.File, at.Line)
		case text == "":
			text = Place(at.File, at.Line)
		}
		file = at.File
	}
	if more := len(all) - maxPlaces; more > 0 {
		text += fmt.Sprintf(" and %s", api.Plural(more, "more place"))
	}
	return text
}

// Place names a line of a file, or the file if the line is 0.
func Place(file string, line int) string {
	if line == 0 {
		return file
	}
	return file + ":" + strconv.Itoa(line)
}

// maxCallers is how many callers are shown: further out, they say what the test does.
const maxCallers = 3

// Callers returns the innermost frames by which a failure was reached, without its own place
// and the test's: what does not work was often passed on to where that shows. Of these frames
// alone it returns the same.
func Callers(f api.Failure) []sdk.Frame {
	var callers []sdk.Frame
	for _, c := range f.Stack {
		if c.File == f.TestFrame.File && c.Line == f.TestFrame.Line || len(callers) == maxCallers {
			break
		}
		if c.Column = 0; c.File != "" && (c.File != f.File || c.Line != f.Line) {
			callers = append(callers, c)
		}
	}
	return callers
}
