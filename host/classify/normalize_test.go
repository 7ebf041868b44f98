package classify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/internal/property"
)

// The rules of docs/history.md, with messages of real tools.
var messages = []struct{ message, want string }{
	// Compared values stay.
	{"got 3, want 4", "got 3, want 4"},
	{"Sum(2, 2) = 5, want 4", "Sum(2, 2) = 5, want 4"},
	{"Not equal: \n\texpected: 1\n\tactual  : 2", "Not equal: expected: 1 actual : 2"},
	{`"[1 2 3]" should have 4 item(s), but has 3`, `"[1 2 3]" should have 4 item(s), but has 3`},
	{"got status 404, want 200", "got status 404, want 200"},
	{"got 1.5, want 2.5", "got 1.5, want 2.5"},
	{"exit status 2", "exit status 2"},
	{"attempt 2", "attempt 2"},
	{"assertion failed: 1000000000000000000 != 2000000000000000000", "assertion failed: 1000000000000000000 != 2000000000000000000"},
	{"yaml: line 3: did not find expected key", "yaml: line 3: did not find expected key"},
	{"got: 17 items after 1.23s", "got: 17 items after <duration>"},
	{"want 2024-05-06", "want 2024-05-06"},
	{"größer als 漢字 🎉", "größer als 漢字 🎉"},

	// Addresses and hashes; error codes and identifiers stay.
	{"runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x53039b]",
		"runtime error: invalid memory address or nil pointer dereference [signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=<hex>]"},
	{"unexpected &{0xc0000140a8 3}", "unexpected &{<hex> 3}"},
	{"Read at 0x00c000124010 by goroutine 8:", "Read at <hex> by goroutine <n>:"},
	{"/proctor-case/late_test.go:11 +0x56", "/proctor-case/late_test.go +<hex>"},
	{"panic: division or modulo by zero (0x12)", "panic: division or modulo by zero (0x12)"},
	{"custom error 0xdeadbeef", "custom error 0xdeadbeef"},
	{"InsufficientBalance(0x7FA9385bE102ac3EAc297483Dd6233D62b3e1496, 1, 100)", "InsufficientBalance(<hex>, 1, 100)"},
	{"expected call to 0x5615dEB798BB3E4dFa0139dFa1b3D433Cc23b72f with data 0xcf21c293 to be called 1 time, but was called 0 times",
		"expected call to <hex> with data 0xcf21c293 to be called 1 time, but was called 0 times"},
	{"log mismatch at param 0: expected=0x0000000000000000000000000000000000000000000000000000000000000001",
		"log mismatch at param 0: expected=0x0000000000000000000000000000000000000000000000000000000000000001"},
	{"from 0x0000000000000000000000000000000000000000000000000000000000000001", "from <hex>"},
	{"got 0xc0000140a8, want nil", "got <hex>, want nil"},
	{"got {ID:usr_a27c7f9b Name:a At:2026-11-23 07:23:16.9 +0000 UTC P:0x34df0bb6300}, want {ID: Name:b}", "got {ID:usr_<id> Name:a At:<time> P:<hex>}, want {ID: Name:b}"},
	{"assertion failed: 115792089237316195423570985008687907853269984665640564039457584007913129639935 != 3",
		"assertion failed: 115792089237316195423570985008687907853269984665640564039457584007913129639935 != 3"},
	{"overflow of 115792089237316195423570985008687907853269984665640564039457584007913129639935", "overflow of <n>"},
	{"commit 1f997f288b046edada68121864ebbcd480681bf6 is gone", "commit <id> is gone"},
	{"sha256:9F86D081884C7D659A2FEAA0C55AD015", "sha256:<id>"},
	{"Failing input written to testdata/fuzz/FuzzX/582528ddfad69eb5", "Failing input written to testdata/fuzz/FuzzX/<id>"},
	{"facade decade accede effaced", "facade decade accede effaced"},
	{"123456789012 bytes", "123456789012 bytes"},
	{"deadbeefcafefeed", "deadbeefcafefeed"},
	{"Ab0123456789cd", "Ab0123456789cd"},
	{"no user 6ba7b810-9dad-11d1-80b4-00c04fd430c8", "no user <uuid>"},

	// Counterexamples.
	{"too big; counterexample: calldata=0x2bffa6fb0000 args=[1000000 [1e6]]\nmore", "too big; counterexample: <values> more"},

	// Time.
	{"test timed out after 1s", "test timed out after <duration>"},
	{"panic: test timed out after 10m0s\n\trunning tests:\n\t\tTestA (9m58s)", "panic: test timed out after <duration> running tests: TestA (<duration>)"},
	{"took 1.5 seconds", "took <duration>"},
	{"took 300 ms, 20µs and 3 minutes", "took <duration>, <duration> and <duration>"},
	{"took 1h2m3.5s", "took <duration>"},
	{"65658 ns/op", "<duration>/op"},
	{"--- FAIL: TestA (0.53s)", "--- FAIL: TestA (<duration>)"},
	{"at 2024-05-06T07:08:09.123456Z it broke", "at <time> it broke"},
	{"at 2024-05-06T07:08:09+02:00 it broke", "at <time> it broke"},
	{"2024/05/06 07:08:09 dial failed", "<time> dial failed"},
	{"time: 2024-05-06 07:08:09.5 +0200 CEST m=+0.003", "time: <time>"},
	{"time: 2024-05-06 07:08:09.5 +0000 UTC", "time: <time>"},
	{"[07:08:09] broke", "[<time>] broke"},
	{"v1.2.3s and 5stars and abc3s", "v1.2.3s and 5stars and abc3s"},
	{"released 1.2.3", "released 1.2.3"},

	// Temporary paths.
	{"open /tmp/TestWrite2837465/001/cfg.toml: no such file or directory", "open <tmp>/<n>/cfg.toml: no such file or directory"},
	{"open /tmp/TestWrite2837465/001/other.toml: no such file or directory", "open <tmp>/<n>/other.toml: no such file or directory"},
	{"open /var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/TestWrite28/001/cfg.toml: no", "open <tmp>/<n>/cfg.toml: no"},
	{`open C:\Users\me\AppData\Local\Temp\TestWrite28\001\cfg.toml: no`, "open <tmp>/<n>/cfg.toml: no"},
	{"/tmp/go-build123/c.cgo2.c:54: undefined reference to `no_such_symbol'", "<tmp>/c.cgo<n>.c: undefined reference to `no_such_symbol'"},
	{`stat "/tmp/a.sock"`, `stat "<tmp>"`},
	{"open data/tmp/x1/a: no", "open data/tmp/x1/a: no"},
	{"open ./tmp/x1/a: no", "open ./tmp/x1/a: no"},

	// Lines, columns and ports.
	{"./a.go:4:2: undefined: x1", "./a.go: undefined: x1"},
	{"./a.go:4:2: undefined: x2", "./a.go: undefined: x2"},
	{"core/core.go:3:31: syntax error: unexpected }, expected expression", "core/core.go: syntax error: unexpected }, expected expression"},
	{"--> src/Counter.sol:3:5:\n  |\n3 |   x = y;\n  |   ^", "--> src/Counter.sol: | | x = y; | ^"},
	{"a | 3 | b", "a | 3 | b"},
	{"dial tcp 127.0.0.1:54321: connect: connection refused", "dial tcp 127.0.0.1:<port>: connect: connection refused"},
	{"dial tcp [::1]:54321: connect: connection refused", "dial tcp [::1]:<port>: connect: connection refused"},
	{`Get "http://localhost:40001/v1": EOF`, `Get "http://localhost:<port>/v1": EOF`},
	{"listen tcp :54321: bind: address already in use", "listen tcp :<port>: bind: address already in use"},
	{"listen tcp :8080: bind: address already in use", "listen tcp :8080: bind: address already in use"},
	{"map[a:1 b:54321]", "map[a:1 b:54321]"},

	// Names of things of one run.
	{"goroutine 34 [running]:", "goroutine <n> [running]:"},
	{"process with pid=4711 and PID: 12 died", "process with pid=<n> and PID: <n> died"},
	{"-test.shuffle 1714979289", "-test.shuffle <n>"},
	{"rapid.seed=123 seed 4, \"seed\": 5", "rapid.seed=<n> seed <n>, \"seed\": <n>"},
	{"sid 4 and seeds 4", "sid 4 and seeds 4"},

	// Terminals.
	{"\x1b[31mred\x1b[0m and \x1b[1;32mgreen\x1b[m", "red and green"},
	{"\x1b[31µ and \x1b[", "µ and"},
	{"a\x00\x08b\r\n\tc", "a b c"},
	{"", ""},
	{" \n ", ""},
}

func TestWhatDiffersFromRunToRunBecomesAPlaceholder(t *testing.T) {
	for _, m := range messages {
		if got := classify.Normalize(m.message); got != m.want {
			t.Errorf("%q\n\tis   %q\n\twant %q", m.message, got, m.want)
		}
	}
}

func TestDifferentFailuresStayDifferent(t *testing.T) {
	seen := map[string]string{}
	for _, m := range []string{
		"got 3, want 4", "got 3, want 5", "got 4, want 3", "undefined: x1", "undefined: x2", "custom error 0xdeadbeef", "custom error 0xdeadbeee",
		"panic: (0x12)", "panic: (0x11)", "open a1.txt: no such file", "open a2.txt: no such file", "index out of range [3] with length 3",
		"index out of range [4] with length 3", "got 404", "got 500", `got "a", want "b"`, `got "b", want "a"`, "listen :80", "listen :81",
	} {
		n := classify.Normalize(m)
		if other, ok := seen[n]; ok {
			t.Errorf("%q and %q are both %q", m, other, n)
		}
		seen[n] = m
	}
}

func TestNormalizingTwiceChangesNothing(t *testing.T) {
	for _, m := range messages {
		if once := classify.Normalize(m.message); classify.Normalize(once) != once {
			t.Errorf("%q becomes %q and then %q", m.message, once, classify.Normalize(once))
		}
	}
}

func TestOnlyTheBeginningOfALongMessageCounts(t *testing.T) {
	beginning := strings.Repeat("word ", 4000)
	if classify.Normalize(beginning+"a") != classify.Normalize(beginning+"b") {
		t.Error("what stands behind 16 KiB counts")
	}
	cut := classify.Normalize(strings.Repeat("x", 16<<10-1) + "漢漢")
	if !utf8.ValidString(cut) || strings.ContainsRune(cut, utf8.RuneError) {
		t.Errorf("a character was cut: it ends in %q", cut[len(cut)-8:])
	}
	if got := classify.Normalize("bad \xff byte"); !utf8.ValidString(got) {
		t.Errorf("%q", got)
	}
}

// BenchmarkHostileMessages makes every rule look ahead in vain: a byte of a message that
// is eight times as long must not take longer.
func BenchmarkHostileMessages(b *testing.B) {
	for _, part := range []string{
		"0x", "1", "1s", "1.1", "a:1", "/tmp/", "+0x1", "seed=1", "deadbeef0", "[::]:1", "\x1b[1;", "12:34:56", "2024-05-06T", "C:\\", "漢", " ", "\n1 |",
		"counterexample:", "C:\\Users\\", "127.0.0.", "6ba7b810-9dad-", "/var/folders/",
	} {
		for _, size := range []int{2 << 10, 16 << 10} {
			message := strings.Repeat(part, size/len(part))
			b.Run(fmt.Sprintf("%q/%d", part, size), func(b *testing.B) {
				for b.Loop() {
					classify.Normalize(message)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size), "ns/byte")
			})
		}
	}
}

// noises are values that differ from run to run.
var noises = []func(n int) string{
	func(n int) string { return fmt.Sprintf("0xc%09x", n) },
	func(n int) string { return (time.Duration(n) * time.Microsecond).String() },
	func(n int) string { return time.Unix(int64(n), int64(n)).UTC().Format(time.RFC3339Nano) },
	func(n int) string { return time.Unix(int64(n), int64(n)).UTC().String() },
	func(n int) string { return fmt.Sprintf("%08x-1234-4321-8888-%012x", n, n) },
	func(n int) string { return fmt.Sprintf("/tmp/TestX%d/%03d/a.txt", n, n%1000) },
	func(n int) string { return fmt.Sprintf("goroutine %d", n) },
	func(n int) string { return fmt.Sprintf("127.0.0.1:%d", 1024+n%60000) },
	func(n int) string { return fmt.Sprintf("a1%038x", n) },
	func(n int) string { return fmt.Sprintf("a.go:%d:%d", n, n%80) },
	func(n int) string { return fmt.Sprintf("seed=%d", n) },
}

// TestNoiseDoesNotChangeAMessage writes a message of words and noise twice, with
// different noise of the same kinds.
func TestNoiseDoesNotChangeAMessage(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		number := rapid.IntRange(1<<20, 1<<30)
		var one, two, other []string
		for _, w := range rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,5}o[,;]?|[0-9]{1,4}|\(|"`), 1, 12).Draw(t, "words") {
			noise := rapid.SampledFrom(noises).Draw(t, "kind")
			one = append(one, w, noise(number.Draw(t, "one")))
			two = append(two, w, noise(number.Draw(t, "two")))
			other = append(other, w+"x", noise(number.Draw(t, "other")))
		}
		a, b, c := classify.Normalize(strings.Join(one, " ")), classify.Normalize(strings.Join(two, " ")), classify.Normalize(strings.Join(other, " "))
		if a != b {
			t.Fatalf("%q\n%q", a, b)
		}
		if a == c {
			t.Fatalf("other words are the same message: %q", a)
		}
		if again := classify.Normalize(a); again != a {
			t.Fatalf("%q becomes %q", a, again)
		}
	})
}

func FuzzNormalize(f *testing.F) {
	for _, m := range messages {
		f.Add(m.message)
	}
	f.Fuzz(func(t *testing.T, message string) {
		got := classify.Normalize(message)
		if !utf8.ValidString(got) {
			t.Errorf("%q is not valid UTF-8", got)
		}
		if strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("%q has control characters", got)
		}
	})
}
