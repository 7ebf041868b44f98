package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/render/concise"
)

// The bounds of Markdown. GitHub takes a comment of 65,536 characters.
const (
	maxMarkdown = 60_000
	// maxExample bounds the text of one failure, so that others have room.
	maxExample      = 3_000
	maxExampleLines = 25
	// maxListed is how many tests of one kind are named.
	maxListed = 20
)

// writeMarkdown writes a comment for a change: the verdict, and what is red by cause, new
// failures first.
func writeMarkdown(w io.Writer, d *Document, _ Options) error {
	var b strings.Builder
	for _, run := range d.Runs {
		writeHeading(&b, run)
	}
	causes := causesOf(d)
	for i, c := range causes {
		text := causeText(c)
		if b.Len()+len(text) > maxMarkdown {
			fmt.Fprintf(&b, "\n**%s more** not shown here.\n", api.Plural(len(causes)-i, "cause"))
			break
		}
		b.WriteString(text)
	}
	for _, run := range d.Runs {
		writeNamed(&b, run, "flaky: failed, then passed when retried", func(c *Case) bool { return c.Flaky })
		writeNamed(&b, run, "in quarantine: known failures that do not decide", func(c *Case) bool { return c.Status == Quarantined })
	}
	if len(d.Runs) == 0 {
		b.WriteString(nothingToRun + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// nothingToRun is a comment about no run at all.
const nothingToRun = "There was nothing to run."

// signOf returns a sign that shows at a glance how a run ended.
func signOf(v api.Verdict) string {
	switch v {
	case api.Passed:
		return "✅"
	case api.NothingRan, api.Incomplete:
		return "⚠️"
	}
	return "❌"
}

// writeHeading writes how a run ended, with the counts that a terminal shows.
func writeHeading(b *strings.Builder, run *Run) {
	end := render.NewAccount(run.Object, nil, render.Style{Verbose: true, Named: true}).Conclusion()
	fmt.Fprintf(b, "### %s %s\n\n%s", signOf(run.Object.Verdict), end.Word, escapeMarkdown(strings.Join(end.Parts, " · ")))
	if run.Object.RunID != "" {
		b.WriteString(" · run " + codeSpan(run.Object.RunID))
	}
	if run.Object.Language != "" {
		b.WriteString(" · " + escapeMarkdown(run.Object.Language))
	}
	b.WriteString("\n")
}

// causeText describes a cause by its first test.
func causeText(c cause) string {
	var b strings.Builder
	b.WriteString("\n#### " + codeSpan(strings.TrimSpace(c.suite.Name+" "+c.first.Name)))
	failures := c.first.Failures()
	switch {
	case len(failures) > 0 && isNew(failures[0]):
		b.WriteString(" new")
	case len(failures) == 0:
		b.WriteString(" " + strings.ReplaceAll(c.first.Status.String(), "_", " "))
	}
	if c.more > 0 {
		fmt.Fprintf(&b, " and %d more", c.more)
	}
	b.WriteString("\n\n")
	text := c.first.Message()
	if len(failures) > 0 {
		text = concise.Shorten(prose.Head(c.first.Text(), maxExample), maxExampleLines, "`proctor output` has all of it")
	}
	b.WriteString(codeBlock(text))
	return b.String()
}

// writeNamed names the tests of a run for which is holds.
func writeNamed(b *strings.Builder, run *Run, what string, is func(*Case) bool) {
	total, listed := 0, 0
	var named strings.Builder
	for _, s := range run.Suites {
		for _, c := range s.Cases {
			if !is(c) {
				continue
			}
			line := "- " + codeSpan(s.Name+" "+c.Name) + "\n"
			if total++; listed < maxListed && b.Len()+named.Len()+len(line) < maxMarkdown+3_000 {
				listed++
				named.WriteString(line)
			}
		}
	}
	if total > 0 {
		fmt.Fprintf(b, "\n**%d %s**\n\n%s", total, what, named.String())
		if total > listed {
			fmt.Fprintf(b, "- and %d more\n", total-listed)
		}
	}
}

// escapeMarkdown makes a text one line in which nothing is markup, a mention or a link.
func escapeMarkdown(text string) string {
	var b strings.Builder
	for _, r := range narrow(text) {
		switch {
		case r == '@':
			b.WriteString("@<!-- -->")
		case r == '<':
			b.WriteString("&lt;")
		case r == '&':
			b.WriteString("&amp;")
		case strings.ContainsRune("\\`*_{}[]()#+-.!|~>:", r):
			b.WriteString("\\" + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// codeSpan shows a text verbatim, within a line.
func codeSpan(text string) string {
	text = narrow(text)
	fence := strings.Repeat("`", longestRun(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// codeBlock shows a text verbatim, on lines of its own.
func codeBlock(text string) string {
	text = prose.Plain(text)
	fence := strings.Repeat("`", max(longestRun(text)+1, 3))
	return fence + "text\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// longestRun returns the length of the longest run of backticks.
func longestRun(text string) (longest int) {
	n := 0
	for _, r := range text {
		if n++; r != '`' {
			n = 0
		}
		longest = max(longest, n)
	}
	return longest
}
