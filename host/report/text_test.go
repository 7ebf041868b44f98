package report

import (
	"bufio"
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
