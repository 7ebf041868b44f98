package parse

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// vocabulary holds lines that assertion libraries print, and lookalikes.
var vocabulary = []string{
	"", " ", "error:", "got:", "want:", "  int(1)", "comment:", "  user 5", "diff (-got +want):", "got: 5", "want: 3", "expected: x", "actual  : y",
	"Expected", "    <int>: 1", "to equal", "    <*m.T | 0xc000012345>: {A: 1}", "Unexpected error:", "occurred", "for user 5", "Timed out after 1.001s.",
	"--- Expected", "+++ Actual", "@@ -1,2 +1,2 @@", "- A: 1", "+ A: 2", "-", "+", "-x", "+y", "  T{", "  }", "\tError Trace:\t/m/a_test.go:4", "\tError:      \tNot equal: ",
	"\t            \texpected: 1", "\t            \tactual  : 2", "\t            \tDiff:", "\t            \t-a", "\t            \t+b", "\tMessages:   \twhy",
	"mock: I don't know", "-----", "Get(int)", "\t0: FAIL:  (int=8) != (int=7)", "at: [/m/a.go:3 /m/a_test.go:4]", "mismatch (-want +got):", "-want, +got:", "F() = 1, want 2",
	"Diff:", "diff:", "↪ Assertion | differential ↷", "↪ PostScript | annotation ↷", "a_test.go:9: said", "- Snapshot - 1", "+ Received + 1", "\x1b[31mred\x1b[0m", "100% %d {",
	"FAIL: a_test.go:3: S.TestA", "PANIC: a_test.go:3: S.TestB", "a_test.go:3:", "    c.Assert(1, Equals, 2)", "... obtained int = 1", "... expected int = 2", "... Difference:", "...     A: 1 != 2",
	"... Panic: boom (PC=0x48B499)", "  in S.TestB", "OOPS: 1 passed, 1 FAILED", "FAIL! -- 1 Passed | 2 Failed | 0 Pending", "Summarizing 1 Failure:", "  [FAIL] Book [It] has pages",
	"• [FAILED] [0.001 seconds]", "Book [It] has pages", "  [FAILED] Expected", "  In [It] at: /m/a_test.go:5 @ now", "  [PANICKED] Test Panicked", "  Full Stack Trace", "------------------------------",
	"\ta_test.go:4: a != b // why", "func (assert.PanicTestFunc)(0x779580) should not panic", "Panic value:\tboom", "é\u00a0ü",
	"Failures:", "  * /m/a_test.go ", "  Line 4:", "  Line 5: - boom ", "  Expected: 1", "  Actual:   2", "  (Should equal)!", "  goroutine 5 [running]:", "  \t/m/a.go:3 +0x1",
	"• Failure [0.000 seconds]", "•! Panic [0.001 seconds]", "  has pages [It]", "  /m/a_test.go:5", "  Test Panicked", "a_test.go:4 1 does not equal 2",
	"> exec echo x", "[stdout]", "FAIL: testdata/x.txtar:3: no match", "[rapid] failed after 0 tests: boom", "[rapid] panic after 1 tests: boom", "Traceback:", "    /m/a.go:3 in m.F", "boom", "Failed test output:",
}

// usualCases is how many cases are tried without PROCTOR_FUZZ, the same each time.
const usualCases = 4000

// fuzzSettings returns how long to try more cases, and the seed of the first one.
func fuzzSettings(t *testing.T) (limit time.Duration, seed uint64) {
	t.Helper()
	if seed = 1; os.Getenv("PROCTOR_FUZZ") != "" {
		seed = uint64(time.Now().UnixNano())
	}
	if text := os.Getenv("PROCTOR_FUZZ"); text != "" {
		parsed, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		limit = parsed
	}
	if text := os.Getenv("PROCTOR_FUZZ_SEED"); text != "" {
		parsed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = parsed
	}
	return limit, seed
}

// Whatever a test prints: its failure has a message and a bounded size, and each value
// and each line of the diff was really printed.
func TestNoMessageOrDiffIsInvented(t *testing.T) {
	limit, seed := fuzzSettings(t)
	t.Logf("the first seed is %d", seed)
	cases := 0
	for end := time.Now().Add(limit); cases < usualCases || time.Now().Before(end); seed, cases = seed+1, cases+1 {
		r := rand.New(rand.NewPCG(seed, 0))
		var lines []string
		for range 1 + r.IntN(14) {
			lines = append(lines, vocabulary[r.IntN(len(vocabulary))])
		}
		text := strings.Join(lines, "\n") + "\n"
		if r.IntN(3) > 0 {
			text = "    a_test.go:4: " + strings.Join(lines, "\n        ") + "\n"
		}
		stream := new(script).start().run("TestA").out("TestA", text).end("fail", "TestA").completed("fail")
		got := parseStream(recorded, stream.String(), red)
		if len(got.failures) != 1 {
			t.Fatalf("seed %d: %d failures of\n%s", seed, len(got.failures), text)
		}
		f := got.failures[0]
		if strings.TrimSpace(f.Message) == "" || len(f.Message) > maxMessage || len(f.Also) > maxAlso {
			t.Errorf("seed %d: message %q, %d further ones", seed, f.Message, len(f.Also))
		}
		for _, side := range []string{f.Diff.Got, f.Diff.Want, f.Diff.Text} {
			if line := findInvented(text, side); line != "" {
				t.Errorf("seed %d: %q was never printed: diff %+v of\n%s", seed, line, f.Diff, text)
			}
		}
		if t.Failed() {
			break
		}
	}
	t.Logf("%d cases", cases)
}

// findInvented returns a line of a value that does not occur in a text, or "".
func findInvented(text, value string) string {
	printed := denseText(colors.ReplaceAllString(text, ""))
	for line := range strings.Lines(value) {
		line = denseText(line)
		switch {
		case strings.Contains(printed, line), strings.Contains(line, "bytes ..."), line == "(-Snapshot+Received)":
		default:
			return line
		}
	}
	return ""
}

// denseText removes all white space, and the addresses of pointers in gomega's format.
func denseText(text string) string {
	text = strings.ReplaceAll(text, " | 0xc000012345>", ">")
	return strings.Join(strings.Fields(text), "")
}
