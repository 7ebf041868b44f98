package report

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
)

// The bounds of text. Readers refuse large files, and the record has all of it.
const (
	// maxText bounds the text of one case, in bytes.
	maxText = 16 << 10
	// maxTexts bounds that of all cases of a run: GitLab refuses a JUnit file of 30 MB,
	// and this leaves room for the names of 100,000 tests.
	maxTexts = 12 << 20
	// minText is what each failure keeps however many there are: its first lines.
	minText = 256
	// maxLine bounds a text of one line.
	maxLine = 400
	// maxFrames bounds a stack: the innermost frames are the useful ones.
	maxFrames = 24
)

// roomFor returns how much text each of n failures may have.
func roomFor(n int) int {
	return min(maxText, max(minText, maxTexts/max(n, 1)))
}

// narrow makes a text one line that is not too long.
func narrow(text string) string {
	line := prose.Line(text[:min(len(text), 4*maxLine)])
	if len(line) <= maxLine {
		return line
	}
	return strings.TrimRight(prose.Head(line, maxLine), " ") + "…"
}

// shorten cuts a text, and says so.
func shorten(text string, n int) string {
	if len(text) <= n {
		return strings.Clone(text) // do not keep the larger text alive
	}
	return strings.Clone(prose.Head(text, n)) + fmt.Sprintf("\n[cut: %d bytes in all]", len(text))
}

// failureTexts returns the full text of failures.
func failureTexts(failures []api.Failure) string {
	var b strings.Builder
	for _, f := range failures {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(render.FailureText(f))
	}
	if b.Len() > maxText+maxText/4 { // headings count, too
		return prose.Head(b.String(), maxText) + "\n[cut]"
	}
	return b.String()
}

// cut returns a failure with about room bytes of text: first the message, then what was
// compared, then the rest.
func cut(f api.Failure, room int) api.Failure {
	if sizeOf(f) <= room {
		return f
	}
	take := func(text *string, share int) {
		*text = shorten(*text, max(share, 0))
		room -= len(*text)
	}
	take(&f.Message, room/2)
	if !f.Diff.IsZero() {
		take(&f.Diff.Got, room/4)
		take(&f.Diff.Want, room/4)
		take(&f.Diff.Text, room/2)
	}
	f.Stack = f.Stack[:min(len(f.Stack), maxFrames, max(room/128, 0))]
	room -= 128 * len(f.Stack)
	also := f.Also
	f.Also = nil
	for _, a := range also {
		if room < 2*minText {
			break
		}
		take(&a.Message, room/2)
		f.Also = append(f.Also, a)
	}
	whole := len(f.Output)
	if take(&f.Output, room); len(f.Output) < whole {
		f.OutputTruncated = true
	}
	if room < 0 {
		f.Attributes, f.DerivedFrom, f.Blocks = nil, nil, nil
	}
	return f
}

// sizeOf returns roughly how many bytes of text a failure has.
func sizeOf(f api.Failure) int {
	n := len(f.Message) + len(f.Diff.Got) + len(f.Diff.Want) + len(f.Diff.Text) + len(f.Output) + len(f.Repro)
	for _, a := range f.Also {
		n += len(a.Message) + len(a.File)
	}
	for _, s := range f.Stack {
		n += len(s.Function) + len(s.File) + 16
	}
	for _, t := range f.DerivedFrom {
		n += len(t.Suite) + len(t.Test)
	}
	for _, b := range f.Blocks {
		n += len(b)
	}
	for k, v := range f.Attributes {
		n += len(k) + len(v)
	}
	return n
}
