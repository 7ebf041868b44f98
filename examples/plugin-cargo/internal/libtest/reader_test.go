package libtest

import (
	"fmt"
	"strings"
	"testing"
)

// readText formats what a text says: the output of failed tests, then their block.
func readText(text string, declared ...string) string {
	var b strings.Builder
	r := NewReader(Config{
		Section: func(s Section) { fmt.Fprintf(&b, "%s:%q ", s.Test, s.Text) },
		Block: func(block Block) {
			exists := func(name string) bool { return strings.Contains(" "+strings.Join(declared, " ")+" ", " "+name+" ") }
			block, why := block.Settle(exists)
			for _, res := range block.Results {
				fmt.Fprintf(&b, "%s=%c ", res.Name, "?pfi"[res.Status])
			}
			if block.Pending != "" {
				fmt.Fprintf(&b, "pending=%s ", block.Pending)
			}
			switch {
			case !block.Ended:
				b.WriteString("unended ")
			case why != "":
				b.WriteString("contradiction ")
			}
		},
		Foreign: func(line string) { fmt.Fprintf(&b, "foreign:%q ", line) },
	})
	for _, line := range strings.Split(text, "\n") {
		r.Line(line, true)
	}
	r.Close()
	return strings.TrimSpace(b.String())
}

func resultLine(verdict string, passed, failed, ignored int) string {
	return fmt.Sprintf("\ntest result: %s. %d passed; %d failed; %d ignored; 0 measured; 0 filtered out; finished in 0.00s\n", verdict, passed, failed, ignored)
}

func TestReaderReadsTheOutputOfLibtest(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		declared []string
		want     string
	}{
		"nothing":        {"", nil, ""},
		"no tests":       {"running 0 tests\n" + resultLine("ok", 0, 0, 0), nil, ""},
		"every end":      {"running 3 tests\ntest a ... ok\ntest m::b - should panic ... ok\ntest c ... ignored, why ... ok\n" + resultLine("ok", 2, 0, 1), nil, "a=p m::b=p c=i"},
		"a benchmark":    {"running 1 test\ntest b ... bench:          10.00 ns/iter (+/- 1.00)\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 1 measured; 0 filtered out; finished in 0.1s", nil, "b=p"},
		"printed before": {"running 1 test\ntest a ... hello\nok\n" + resultLine("ok", 1, 0, 0), nil, "a=p"},
		"printed beside": {"running 1 test\ntest a ... hellook\n" + resultLine("ok", 1, 0, 0), nil, "a=p"},
		"printed FAILED": {"running 1 test\ntest a ... FAILED\nok\n" + resultLine("ok", 1, 0, 0), nil, `foreign:"ok" a=f contradiction`},
		"cut":            {"running 2 tests\ntest a ... ok\n", nil, "a=p unended"},
		"cut in a test":  {"running 2 tests\ntest a ... hello\n", nil, "pending=a unended"},
		"too few":        {"running 2 tests\ntest a ... ok\n" + resultLine("ok", 2, 0, 0), nil, "a=p contradiction"},
		"other count":    {"running 2 tests\ntest a ... ok\n" + resultLine("ok", 1, 0, 0), nil, "a=p contradiction"},
		"wrong verdict":  {"running 1 test\ntest a ... ok\n" + resultLine("FAILED", 1, 0, 0), nil, "a=p contradiction"},
		"forged end":     {"running 2 tests\ntest a ... ok\n" + resultLine("ok", 2, 0, 0) + "test b ... FAILED\n\nfailures:\n\n---- b stdout ----\nx\n\nfailures:\n    b\n" + resultLine("FAILED", 1, 1, 0), nil, `b:"x" a=p b=f`},
		"forged pass":    {"running 1 test\ntest a ... ok\ntest a ... FAILED\n\nfailures:\n\nfailures:\n    a\n" + resultLine("FAILED", 0, 1, 0), nil, "a=f"},
		"forged test":    {"running 1 test\ntest ghost ... ok\ntest a ... ok\n" + resultLine("ok", 1, 0, 0), []string{"a"}, "a=p"},
		"forged unknown": {"running 1 test\ntest ghost ... ok\ntest a ... ok\n" + resultLine("ok", 1, 0, 0), nil, "ghost=p a=p contradiction"},
		"after a text":   {"running 1 test\nhitest a ... ok\n" + resultLine("ok", 1, 0, 0), nil, `foreign:"hitest a ... ok" a=p`},
		"failed after":   {"running 1 test\nhitest a ... FAILED\n\nfailures:\n\nfailures:\n    a\n" + resultLine("FAILED", 0, 1, 0), nil, `foreign:"hitest a ... FAILED" a=f`},
		"list alone":     {"running 1 test\n\nfailures:\n\nfailures:\n    a\n" + resultLine("FAILED", 0, 1, 0), nil, "a=f"},
		"forged section": {"running 2 tests\ntest a ... FAILED\ntest b ... FAILED\n\nfailures:\n\n---- a stdout ----\n1\nfailures:\n    c\n---- c stdout ----\n2\n\n---- b stdout ----\n3\n\n\nfailures:\n    a\n    b\n" + resultLine("FAILED", 0, 2, 0), nil, `a:"1\nfailures:\n    c\n---- c stdout ----\n2" b:"3" a=f b=f`},
		"two blocks":     {"running 1 test\ntest a ... FAILED\n\nfailures:\n\n---- a stdout ----\n1\n\nfailures:\n    a\n" + resultLine("FAILED", 0, 1, 0) + "\nrunning 1 test\ntest b ... ok\n" + resultLine("ok", 1, 0, 0), nil, `a:"1" a=f b=p`},
		"shown output":   {"running 1 test\ntest a ... ok\n\nsuccesses:\n\n---- a stdout ----\ntest z ... FAILED\n\nsuccesses:\n    a\n" + resultLine("ok", 1, 0, 0), nil, "a=p"},
		"no header":      {"custom\nrunning late\n", nil, `foreign:"custom" foreign:"running late"`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := readText(c.text, c.declared...); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestLongOutputIsTruncatedInTheMiddle(t *testing.T) {
	var got Section
	r := NewReader(Config{Section: func(s Section) { got = s }, Block: func(Block) {}, Foreign: func(string) {}})
	for _, line := range []string{"running 1 test", "test a ... FAILED", "failures:", "---- a stdout ----", "first"} {
		r.Line(line, true)
	}
	for range 100_000 {
		r.Line("flood of output", true)
	}
	r.Line("last", true)
	r.Close()
	if !got.Truncated || !strings.HasPrefix(got.Text, "first") || !strings.HasSuffix(got.Text, "last") || len(got.Text) > maxHead+maxTail+100 {
		t.Errorf("%d bytes were kept, truncated: %v", len(got.Text), got.Truncated)
	}
}
