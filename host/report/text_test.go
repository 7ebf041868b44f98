package report

import (
	"bufio"
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// Whatever a test says, it is text in each format, and no markup, command or mention.
func TestTextIsNoMarkupInAnyFormat(t *testing.T) {
	t.Parallel()
	content := func(text string) string {
		var b strings.Builder
		j := junitWriter{bufio.NewWriter(&b), Options{}}
		j.escape(text, false)
		_ = j.Flush()
		return b.String()
	}
	attribute := func(text string) string {
		return strings.TrimSuffix(strings.TrimPrefix(escapedAttribute("a", text), ` a="`), `"`)
	}
	for _, tc := range []struct {
		of       string
		write    func(string) string
		in, want string
	}{
		{"content of XML", content, "plain ~", "plain ~"},
		{"content of XML", content, `a&b<c>d"e'f`, `a&amp;b&lt;c&gt;d"e'f`},
		{"content of XML", content, ">", "&gt;"},
		{"content of XML", content, "]]>", "]]&gt;"},
		{"content of XML", content, "a\tb\nc\rd", "a\tb\nc&#13;d"},
		{"content of XML", content, "a\x00b\x1bc\x1fd\x7f", "a\\x00b\\x1bc\\x1fd\x7f"},
		{"content of XML", content, "\ufffe é \uffff é", `\ufffe é \uffff é`},
		{"content of XML", content, "a\xffb\xc0\xafc\ufffdd", `a\xffb\xc0\xafc` + "\ufffdd"},
		{"an attribute of XML", attribute, "plain", "plain"},
		{"an attribute of XML", attribute, `a&b<c>d"e'f`, `a&amp;b&lt;c&gt;d&quot;e'f`},
		{"an attribute of XML", attribute, `"`, "&quot;"},
		{"an attribute of XML", attribute, "a\tb\nc\rd", "a&#9;b&#10;c&#13;d"},
		{"an attribute of XML", attribute, "a\x01b\xff\uffff", `a\x01b\xff\uffff`},
		{"the text of a command", commandData().Replace, "50%\r\na:b,c", "50%25%0D%0Aa:b,c"},
		{"a property of a command", commandProperty().Replace, "50%\r\na:b,c", "50%25%0D%0Aa%3Ab%2Cc"},
		{"Markdown", escapeMarkdown, "@user <b & a", "@<!-- -->user &lt;b &amp; a"},
		{"Markdown", escapeMarkdown, "\\`*_{}[]()#+-.!|~>:", "\\\\\\`\\*\\_\\{\\}\\[\\]\\(\\)\\#\\+\\-\\.\\!\\|\\~\\>\\:"},
		{"a code span", codeSpan, "a", "`a`"},
		{"a code span", codeSpan, "a`b``c", "```a`b``c```"},
		{"a code span", codeSpan, "`a", "`` `a ``"},
		{"a code span", codeSpan, "a`", "`` a` ``"},
		{"a code block", codeBlock, "a\nb\n\n", "```text\na\nb\n```\n"},
		{"a code block", codeBlock, "``", "```text\n``\n```\n"},
		{"a code block", codeBlock, "```", "````text\n```\n````\n"},
		{"a number", func(string) string {
			return grouped(0) + " " + grouped(999) + " " + grouped(1000) + " " + grouped(1234567)
		}, "", "0 999 1,000 1,234,567"},
	} {
		if got := tc.write(tc.in); got != tc.want {
			t.Errorf("%s: %q becomes %q, want %q", tc.of, tc.in, got, tc.want)
		}
	}
}

func TestTheVerdictOfSeveralRunsIsTheWorst(t *testing.T) {
	t.Parallel()
	if got := (&Document{}).Verdict(); got != "" {
		t.Errorf("of none: %q", got)
	}
	for want, verdicts := range map[api.Verdict][]api.Verdict{
		"":              {api.ToolError, "", api.Passed}, // of a run without an end
		api.Passed:      {api.Passed, api.Passed},
		api.NothingRan:  {api.Passed, api.NothingRan, api.Passed},
		api.Incomplete:  {api.Incomplete, api.NothingRan},
		api.Failed:      {api.Incomplete, api.Failed, api.Passed},
		api.BuildFailed: {api.Failed, api.BuildFailed, api.Failed},
		api.ToolError:   {api.ToolError, api.BuildFailed},
		"newer":         {api.ToolError, "newer", api.Passed},
	} {
		var d Document
		for _, v := range verdicts {
			d.Runs = append(d.Runs, &Run{Object: api.Run{Verdict: v}})
		}
		if got := d.Verdict(); got != want {
			t.Errorf("of %q: %q, want %q", verdicts, got, want)
		}
	}
}

// A long text is cut where it says least: what the message and the difference are too long for,
// the output does not get.
func TestALongFailureKeepsItsMessageAndSaysWhatIsCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1000)
	f := api.Failure{Failure: sdk.Failure{
		Message: long, Diff: sdk.Diff{Got: long, Want: long, Text: long}, Output: long, Also: []sdk.Also{{Message: long}, {Message: long}}, Blocks: []string{"q"},
		Stack: make([]sdk.Frame, 100), Attributes: map[string]string{"k": "v"},
	}}
	for name, tc := range map[string]struct {
		room                             int
		message, got, want, text, output int
		also, stack                      int
		attributes                       bool
	}{
		"room for all": {sizeOf(f), 1000, 1000, 1000, 1000, 1000, 2, 100, true},
		"much room":    {sizeOf(f) - 1, 1000, 1000, 1000, 1000, 370, 2, 24, false},
		"some room":    {4500, 1000, 900, 675, 987, 67, 0, 7, false},
		"little room":  {1200, 625, 168, 126, 165, 141, 0, 0, false},
		"hardly any":   {256, 153, 50, 38, 32, 25, 0, 0, false},
	} {
		c := cut(f, tc.room)
		if len(c.Message) != tc.message || len(c.Diff.Got) != tc.got || len(c.Diff.Want) != tc.want || len(c.Diff.Text) != tc.text || len(c.Output) != tc.output || len(c.Also) != tc.also || len(c.Stack) != tc.stack || c.Attributes == nil == tc.attributes || c.OutputTruncated != (tc.output < 1000) {
			t.Errorf("%s (%d): message %d, got %d, want %d, text %d, output %d (%t), also %d, stack %d, attributes %v", name, tc.room, len(c.Message), len(c.Diff.Got), len(c.Diff.Want), len(c.Diff.Text), len(c.Output), c.OutputTruncated, len(c.Also), len(c.Stack), c.Attributes)
		}
		if tc.message < 1000 && !strings.HasSuffix(c.Message, "x\n[cut: 1000 bytes in all]") {
			t.Errorf("%s: %q", name, c.Message)
		}
	}
	measured := f
	measured.Repro, measured.DerivedFrom = "123", []sdk.TestID{{Suite: "12", Test: "1"}}
	measured.Also, measured.Stack = []sdk.Also{{Message: "12", Location: sdk.Location{File: "1"}}}, []sdk.Frame{{Function: "12", Location: sdk.Location{File: "1"}}}
	if n := sizeOf(measured); n != 5000+1+2+3+3+3+19 {
		t.Errorf("a failure has %d bytes of text", n)
	}
	if len(f.Also) != 2 || len(f.Message) != 1000 {
		t.Errorf("the failure itself is cut: %+v", f)
	}
	for n, want := range map[int]int{0: 16 << 10, 1: 16 << 10, 768: 16 << 10, 1000: 12582, 49152: 256, 1_000_000: 256} {
		if got := roomFor(n); got != want {
			t.Errorf("each of %d failures has room for %d bytes, want %d", n, got, want)
		}
	}
	for n, want := range map[int]string{400: "x", 401: "x…"} {
		if got := narrow(strings.Repeat("x", n)); !strings.HasSuffix(got, want) || strings.Count(got, "x") != 400 {
			t.Errorf("%d in one line: %q", n, got)
		}
	}
}

// GitHub refuses a comment of more than 65,536 characters as a whole.
func TestACommentOfManyFailuresSaysHowManyMoreThereAre(t *testing.T) {
	t.Parallel()
	run := api.Run{RunID: "r", Verdict: api.Failed}
	for i := range 400 {
		id := sdk.TestID{Suite: strings.Repeat("s", 300), Test: fmt.Sprint("Test", i)}
		f := api.Failure{ID: id.Test, Signature: id.Test, Failure: sdk.Failure{TestID: id, Kind: sdk.KindAssertion, Message: strings.Repeat("wrong\n", 20)}}
		switch {
		case i < 21:
			f.Quarantine = "known"
		case i < 41:
			run.Retried = append(run.Retried, api.Retried{TestID: id, Flaky: true})
		}
		run.Failures = append(run.Failures, f)
	}
	run.FailuresTotal = len(run.Failures)
	var b strings.Builder
	if err := writeMarkdown(&b, NewDocument(api.RunFinished{Run: run}), Options{}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	shown := strings.Count(text, "\n#### ")
	for _, want := range []string{fmt.Sprintf("\n**%d causes more** not shown here.\n", 379-shown), "\n**20 flaky: ", "\n**21 in quarantine: "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the end of the comment:\n%s", want, text[len(text)-8000:])
		}
	}
	if n := len(text); n > 65_536 || n < maxMarkdown {
		t.Errorf("the comment has %d bytes, and %d causes", n, shown)
	}
	// Of each list it says how many are not named, whether there was no room for them or they are many.
	_, lists, _ := strings.Cut(text, "\n**20 flaky: ")
	flaky, known, _ := strings.Cut(lists, "\n**21 in quarantine: ")
	for list, total := range map[string]int{flaky: 20, known: 21} {
		more := 0
		if i := strings.Index(list, "- and "); i >= 0 {
			_, _ = fmt.Sscanf(list[i:], "- and %d more", &more)
		}
		if n := strings.Count(list, "\n- `"); n+more != total {
			t.Errorf("%d of %d are named, and %d more", n, total, more)
		}
	}
}

// Only a pass looks like one.
func TestTheSignOfAVerdict(t *testing.T) {
	t.Parallel()
	for v, want := range map[api.Verdict]string{
		api.Passed: "✅", api.NothingRan: "⚠️", api.Incomplete: "⚠️", api.Failed: "❌", api.BuildFailed: "❌", api.ToolError: "❌", "": "❌", "newer": "❌",
	} {
		if got := signOf(v); got != want {
			t.Errorf("%q: %s", v, got)
		}
	}
}

func TestHowASuiteEndedInASpan(t *testing.T) {
	t.Parallel()
	of := func(statuses ...Status) (c Counts) {
		for _, s := range statuses {
			c[s]++
		}
		return c
	}
	for name, tc := range map[string]struct {
		counts   Counts
		timedOut bool
		want     string
	}{
		"nothing":              {of(), false, "skipped"},
		"only skips":           {of(Skipped, Skipped), false, "skipped"},
		"a pass":               {of(Skipped, Passed), false, "success"},
		"a known failure":      {of(Quarantined), false, "success"},
		"a failure":            {of(Passed, Failed), false, "failure"},
		"out of time":          {of(Passed, Unfinished), true, "timed_out"},
		"without an end":       {of(Passed, Unfinished), false, "aborted"},
		"never started":        {of(Passed, NeverStarted), true, "aborted"},
		"a failure, late":      {of(Passed, Failed), true, "failure"},
		"an error, and no end": {of(Errored, Unfinished), false, "aborted"},
	} {
		if got := suiteStatus(api.Run{TimedOut: tc.timedOut}, &Suite{Counts: tc.counts}); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

func TestSpansAreOfTheSlowestTests(t *testing.T) {
	t.Parallel()
	s := &Suite{}
	for i := range 300 {
		s.Cases = append(s.Cases, &Case{DurationS: 1 + float64(i)}, &Case{DurationS: 0.999})
	}
	for range 5100 {
		s.Cases = append(s.Cases, &Case{Status: Failed})
	}
	slow, red := 0, 0
	for c := range chooseSpans(&Run{Suites: []*Suite{s}}) {
		switch {
		case c.Status == Failed:
			red++
		case c.DurationS < 101:
			t.Errorf("a test of %gs has a span", c.DurationS)
		default:
			slow++
		}
	}
	if slow != 200 || red != 5000 {
		t.Errorf("%d slow tests and %d red ones have spans", slow, red)
	}
	if chosen := chooseSpans(&Run{Suites: []*Suite{{Cases: s.Cases[:2]}}}); !chosen[s.Cases[0]] || chosen[s.Cases[1]] {
		t.Error("from a second on a test is slow")
	}
}
