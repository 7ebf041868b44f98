package plugin

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/go-hclog"

	"github.com/proctorhq/proctor/sdk"
)

func testJournal() (*journal, *bytes.Buffer) {
	var out bytes.Buffer
	return newJournal(hclog.New(&hclog.LoggerOptions{Output: &out, Level: hclog.Debug})), &out
}

func TestJournalKeepsTheLastLines(t *testing.T) {
	j, _ := testJournal()
	for n := range 2*journalLines + 7 {
		j.stderr(fmt.Appendf(nil, "line %d", n))
	}
	got := j.tail(3)
	if want := "[line 204 line 205 line 206]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if n := len(j.tail(1000)); n != journalLines {
		t.Errorf("kept %d lines", n)
	}
}

func TestJournalFindsThePanic(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"none":                {"all is well\n", ""},
		"panic":               {"before\npanic: x\n\ngoroutine 1\n", "panic: x\n\ngoroutine 1"},
		"fatal":               {"fatal error: all goroutines are asleep\nmore\n", "fatal error: all goroutines are asleep\nmore"},
		"an earlier mention":  {"panic: recovered\nlog\npanic: real\nstack\n", "panic: real\nstack"},
		"only at line starts": {"no panic: here\n", ""},
		"not in a log record": {`{"@level":"error","@message":"panic: logged"}` + "\n", ""},
		"control characters":  {"panic: \x1b[31mred\x1b[0m\n", "panic: [31mred[0m"},
	} {
		t.Run(name, func(t *testing.T) {
			j, _ := testJournal()
			readLines(bufio.NewReader(strings.NewReader(c.in)), j.stderr)
			if got := j.panicText(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestJournalBoundsThePanic(t *testing.T) {
	j, _ := testJournal()
	j.stderr([]byte("panic: x"))
	for range 10 * panicLines {
		j.stderr([]byte("frame"))
	}
	if n := strings.Count(j.panicText(), "\n") + 1; n != panicLines {
		t.Errorf("kept %d lines", n)
	}
}

func TestJournalLimitsTheRateOfLogsAndCountsTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, out := testJournal()
		for range logsPerSecond + 50 {
			j.stderr([]byte("flood"))
		}
		if n := strings.Count(out.String(), "flood"); n != logsPerSecond {
			t.Errorf("logged %d lines", n)
		}
		time.Sleep(time.Second)
		j.stderr([]byte("later"))
		if s := out.String(); !strings.Contains(s, "dropped_lines=50") || !strings.Contains(s, "later") {
			t.Errorf("logged %s", s[len(s)-200:])
		}
	})
}

func TestLogRecordsKeepTheirLevelAndValues(t *testing.T) {
	for in, want := range map[string]string{
		`{"@level":"warn","@message":"m","b":2,"a":"x","@timestamp":"t"}`: "[WARN] m a=x b=2",
		`{"@level":"bogus","@message":"m"}`:                               "[DEBUG] m",
		`{"@level":"off","@message":"m"}`:                                 "[DEBUG] m",
		`{"@level":7,"@message":"m"}`:                                     "[DEBUG] m",
		`{"@message":1}`:                                                  `{"@message":1}`,
		`{"other":"json"}`:                                                `{"other":"json"}`,
		`{broken`:                                                         `{broken`,
		`{"@level":"error","@message":"\u001b[2J\u0007"}`:                 "[ERROR] [2J",
		"plain": "plain",
	} {
		if got := parseRecord([]byte(in)).String(); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

func TestLinesAreCutAndBounded(t *testing.T) {
	long := strings.Repeat("x", 3*lineMax)
	in := "one\r\n" + long + "\n\ntwo"
	want := []string{"one", long[:lineMax], "", "two"}
	var read []string
	readLines(bufio.NewReaderSize(strings.NewReader(in), lineMax), func(l []byte) { read = append(read, string(l)) })
	if fmt.Sprint(read) != fmt.Sprint(want) {
		t.Errorf("read %d lines: %.80q", len(read), read)
	}
	// A writer gets the same lines in pieces of any size; the last line is not
	// terminated.
	for _, size := range []int{1, 7, 100_000} {
		var written []string
		w := &lineWriter{line: func(l []byte) { written = append(written, strings.TrimSuffix(string(l), "\r")) }}
		for rest := []byte(in); len(rest) > 0; {
			n := min(size, len(rest))
			if _, err := w.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if fmt.Sprint(written) != fmt.Sprint(want[:3]) {
			t.Errorf("in pieces of %d: %d lines: %.80q", size, len(written), written)
		}
	}
}

func FuzzUntrustedTextBecomesPrintableAndBounded(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[31m", "\xff\xfe", "ü\uFFFD", "a\nb\tc\r", `{"@message":1}`, `{"@message":"x","k":[1,{}]}`} {
		f.Add(s, 20)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = len(sdk.TruncationMark) + max(0, min(limit, 1000))
		for _, got := range []string{cleanLine(s, limit), parseRecord([]byte(s)).message} {
			if !utf8.ValidString(got) {
				t.Errorf("%q is not UTF-8", got)
			}
			for _, r := range got {
				if r != '\t' && unicode.IsControl(r) {
					t.Errorf("%q holds %U", got, r)
				}
			}
		}
		// Each invalid byte may become a three-byte character.
		if got := cleanText(s, limit); len(got) > 3*limit || utf8.ValidString(s) && len(got) > limit {
			t.Errorf("%d bytes of %d", len(got), limit)
		}
		if len(s) <= limit && utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0 && cleanLine(s, limit) != s {
			t.Errorf("changed %q", s)
		}
	})
}
