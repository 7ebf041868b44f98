package classify_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/record"
)

// Alphabets of identifiers.
const (
	hexDigits = "0123456789abcdef"
	base36    = "0123456789abcdefghijklmnopqrstuvwxyz"
	base62    = base36 + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	kubeNames = "bcdfghjklmnpqrstvwxz2456789"
)

// drawn is a word with letters and figures.
func drawn(r *rand.Rand, alphabet string, n int) string {
	for {
		word := make([]byte, n)
		for i := range word {
			word[i] = alphabet[r.IntN(len(alphabet))]
		}
		if s := string(word); strings.ContainsAny(s, "0123456789") && strings.Trim(s, "0123456789") != "" {
			return s
		}
	}
}

func figures(r *rand.Rand, least, most int) string {
	n := least + r.IntN(most-least+1)
	s := fmt.Sprint(1 + r.IntN(9))
	for len(s) < n {
		s += fmt.Sprint(r.IntN(10))
	}
	return s
}

func instant(r *rand.Rand) time.Time {
	return time.Unix(1_600_000_000+r.Int64N(300_000_000), r.Int64N(1e9)).In(time.FixedZone("CEST", 7200))
}

func uuidOf(r *rand.Rand) string {
	return fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Int64N(1<<48))
}

func layout(l string) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return instant(r).Format(l) }
}

func word(alphabet string, n int) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return drawn(r, alphabet, n) }
}

// family is a kind of thing that differs from run to run. Of a short one some look
// as if somebody had chosen them: certain is how many in a hundred have to be known
// for what they are; two of the rest are similar at least.
type family struct {
	name    string
	draw    func(*rand.Rand) string
	certain int
}

var families = []family{
	{"uuid", uuidOf, 100},
	{"UUID", func(r *rand.Rand) string { return strings.ToUpper(uuidOf(r)) }, 100},
	{"uuid without dashes", func(r *rand.Rand) string { return strings.ReplaceAll(uuidOf(r), "-", "") }, 100},
	{"prefixed uuid", func(r *rand.Rand) string { return "db_" + uuidOf(r) }, 100},
	{"pointer", func(r *rand.Rand) string { return fmt.Sprintf("0xc%09x", r.Int64N(1<<36)) }, 100},
	{"long pointer", func(r *rand.Rand) string { return fmt.Sprintf("0x7f%010x", r.Int64N(1<<40)) }, 100},
	{"sha1", word(hexDigits, 40), 100},
	{"sha256", word(hexDigits, 64), 100},
	{"object id", word(hexDigits, 24), 100},
	{"container", word(hexDigits, 12), 100},
	{"ULID", func(r *rand.Rand) string { return "01" + drawn(r, crockford, 24) }, 97},
	{"KSUID", word(base62, 27), 97},
	{"xid", func(r *rand.Rand) string { return "c" + drawn(r, base36[:32], 19) }, 97},
	{"cuid", func(r *rand.Rand) string { return "ck" + drawn(r, base36, 23) }, 97},
	{"nanoid", word(base62+"_-", 21), 70},
	{"base64", func(r *rand.Rand) string { return drawn(r, base62+"+/", 43) + "=" }, 70},
	{"short nanoid", word(base62, 10), 80},
	{"base 62", word(base62, 12), 80},
	{"base 36", word(base36, 13), 75},
	{"short base 36", word(base36, 8), 55},
	{"first part of a uuid", word(hexDigits, 8), 80},
	{"short commit", word(hexDigits, 7), 70},
	{"socket", func(r *rand.Rand) string { return "@" + fmt.Sprintf("%05x", r.IntN(1<<20)) }, 100},
	{"object", func(r *rand.Rand) string { return fmt.Sprintf("Object@%08x", r.Uint32()) }, 100},
	{"named id", func(r *rand.Rand) string { return "session_id=" + drawn(r, base36, 10) }, 80},
	{"pod", func(r *rand.Rand) string { return "web-" + drawn(r, kubeNames, 9) + "-" + drawn(r, kubeNames, 5) }, 25},
	{"goroutine", func(r *rand.Rand) string { return "goroutine " + figures(r, 1, 6) }, 100},
	{"pid", func(r *rand.Rand) string { return "pid " + figures(r, 2, 7) }, 100},
	{"pid=", func(r *rand.Rand) string { return "pid=" + figures(r, 2, 7) }, 100},
	{"port", func(r *rand.Rand) string { return "port " + fmt.Sprint(32768+r.IntN(28000)) }, 100},
	{"address", func(r *rand.Rand) string { return fmt.Sprintf("127.0.0.1:%d", 10000+r.IntN(50000)) }, 100},
	{"address of IPv6", func(r *rand.Rand) string { return fmt.Sprintf("[::1]:%d", 10000+r.IntN(50000)) }, 100},
	{"listen address", func(r *rand.Rand) string { return fmt.Sprintf(":%d", 32768+r.IntN(28000)) }, 100},
	{"any address", func(r *rand.Rand) string { return fmt.Sprintf("[::]:%d", 32768+r.IntN(28000)) }, 100},
	{"connection", func(r *rand.Rand) string {
		return fmt.Sprintf("127.0.0.1:%d->127.0.0.1:%d", 32768+r.IntN(28000), 32768+r.IntN(28000))
	}, 100},
	{"URL", func(r *rand.Rand) string {
		return fmt.Sprintf("http://localhost:%d/v1/users/%s", 32768+r.IntN(28000), uuidOf(r))
	}, 100},
	{"URL of a host", func(r *rand.Rand) string { return fmt.Sprintf("https://db.internal:%d/", 32768+r.IntN(28000)) }, 100},
	{"temporary file", func(r *rand.Rand) string {
		return fmt.Sprintf("/tmp/TestWrite%s/%03d/cfg.toml", figures(r, 8, 10), r.IntN(1000))
	}, 100},
	{"temporary file of a Mac", func(r *rand.Rand) string {
		return fmt.Sprintf("/var/folders/zz/%s/T/TestWrite%s/001/cfg.toml", drawn(r, base36, 30), figures(r, 8, 10))
	}, 100},
	{"temporary file of Windows", func(r *rand.Rand) string {
		return fmt.Sprintf(`C:\Users\me\AppData\Local\Temp\TestWrite%s\001\cfg.toml`, figures(r, 8, 10))
	}, 100},
	{"quoted file of Windows", func(r *rand.Rand) string {
		return fmt.Sprintf("%q", fmt.Sprintf(`C:\Users\me\AppData\Local\Temp\TestWrite%s\001\cfg.toml`, figures(r, 8, 10)))
	}, 100},
	{"short Windows", func(r *rand.Rand) string { return fmt.Sprintf(`C:\Windows\Temp\run%s\cfg.toml`, figures(r, 8, 10)) }, 100},
	{"URL of a file", func(r *rand.Rand) string { return fmt.Sprintf("file:///tmp/run%s/cfg.toml", figures(r, 8, 10)) }, 100},
	{"runtime directory", func(r *rand.Rand) string { return fmt.Sprintf("/run/user/1000/sock%s/s", figures(r, 8, 10)) }, 100},
	{"another TMPDIR", func(r *rand.Rand) string {
		return fmt.Sprintf("/scratch/me/TestWrite%s/001/cfg.toml", figures(r, 8, 10))
	}, 100},
	{"RFC 3339", layout(time.RFC3339), 100},
	{"RFC 3339 with nanoseconds", layout("2006-01-02T15:04:05.000000000Z07:00"), 100},
	{"RFC 1123", layout(time.RFC1123), 100},
	{"RFC 1123 with a zone", layout(time.RFC1123Z), 100},
	{"RFC 850", layout(time.RFC850), 100},
	{"RFC 822", layout(time.RFC822), 100},
	{"RFC 822 with a zone", layout(time.RFC822Z), 100},
	{"ANSI C", layout(time.ANSIC), 100},
	{"Unix date", layout(time.UnixDate), 100},
	{"Ruby date", layout(time.RubyDate), 100},
	{"stamp", layout(time.StampMilli), 100},
	{"date and time", layout(time.DateTime), 100},
	{"log", layout("2006/01/02 15:04:05.000000"), 100},
	{"common log", layout("02/Jan/2006:15:04:05 -0700"), 100},
	{"klog", layout("I0102 15:04:05.000000"), 100},
	{"compact", layout("20060102T150405Z"), 100},
	{"kitchen", layout(time.Kitchen), 100},
	{"time", func(r *rand.Rand) string {
		return instant(r).String() + fmt.Sprintf(" m=+%d.%09d", r.IntN(100), r.IntN(1e9))
	}, 100},
	{"clock", layout("15:04:05.000"), 100},
	{"unix time", func(r *rand.Rand) string { return fmt.Sprintf("ts=%d", instant(r).Unix()) }, 100},
	{"duration", func(r *rand.Rand) string { return time.Duration(1 + r.Int64N(int64(time.Hour))).String() }, 100},
	{"milliseconds", func(r *rand.Rand) string { return fmt.Sprintf("%d ms", r.IntN(10000)) }, 100},
	{"seconds", func(r *rand.Rand) string { return fmt.Sprintf("%.2f seconds", 10*r.Float64()) }, 100},
	{"named seed", func(r *rand.Rand) string { return fmt.Sprintf("test_seed=%d", r.Uint32()) }, 100},
	{"seed", func(r *rand.Rand) string { return fmt.Sprintf("seed: %d", r.Uint32()) }, 100},
}

// shapes are messages as programs print them, with a place for what differs.
var shapes = []string{
	"dial unix %s: connect: connection refused",
	"lost %s of bob",
	"open %s: no such file or directory",
	"Received unexpected error:\n\tsession %s is closed",
	`rpc error: code = Unavailable desc = "transport: %s: broken pipe"`,
	"[%s] ERROR handler failed: out of cheese",
	"server at %s did not answer, want 3 answers, got 2",
	"panic: invalid memory address (%s)\n\ngoroutine 7 [running]:\nmain.f(0xc000012345)\n\t/home/me/a.go:12 +0x1d",
	"Error Trace:\ta_test.go:17\n\tError:\tNot equal:\n\t\texpected: 3\n\t\tactual  : 4\n\tMessages:\tfor %s",
	"mismatch (-want +got):\n  &User{\n  \tKey: \"%s\",\n- \tAge: 3,\n+ \tAge: 4,\n  }",
	`{"level":"error","worker":"%s","msg":"out of cheese"}`,
	"worker=%s status=500 err=\"out of cheese\"",
	"waiting for <%s>, then (%s)",
	"assertion failed: 3 != 4 (in %s)",
	"%s",
}

func failureOf(message string) record.Failure {
	return record.Failure{Suite: "s", Test: "T", Kind: "assertion", File: "a_test.x", Message: message}
}

func traceOf(message string) classify.Trace {
	first, _, _ := strings.Cut(message, "\n")
	return classify.TraceOf(failureOf(message), first)
}

func TestTheSameFailureWithOtherIdentifiersHasOneSignature(t *testing.T) {
	f := fuzzing(t)
	known, of, bad := map[string]int{}, map[string]int{}, map[string]int{}
	for r := range f.cases(2000) {
		for _, family := range families {
			shape := shapes[r.IntN(len(shapes))]
			a, b := strings.ReplaceAll(shape, "%s", family.draw(r)), strings.ReplaceAll(shape, "%s", family.draw(r))
			likeness := classify.Compare(traceOf(a), traceOf(b))
			of[family.name]++
			if likeness == record.SameFailureAgain {
				known[family.name]++
			}
			if likeness != record.SameFailureAgain && (family.certain == 100 || likeness != record.SimilarFailure && shape != "%s" && !strings.HasPrefix(shape, "waiting")) {
				if bad[family.name]++; bad[family.name] > 1 {
					continue
				}
				f.Errorf("%s: %q and %q are %q\n%q\n%q", family.name, a, b, likeness, classify.Normalise(a), classify.Normalise(b))
			}
		}
	}
	for _, family := range families {
		if known[family.name]*100 < family.certain*of[family.name] {
			t.Errorf("%s: %d of %d have one signature, want %d in 100", family.name, known[family.name], of[family.name], family.certain)
		}
	}
}

// points are pairs of messages of one test that are not of one failure.
var points = [][2]string{
	{"got 3, want 4", "got 5, want 4"},
	{"got status 404, want 200", "got status 500, want 200"},
	{"expected 3 items, got 2", "expected 3 items, got 1"},
	{"got 0xff, want 0xfe", "got 0xfd, want 0xfe"},
	{"got 0xdeadbeef, want 0x0", "got 0xdeadbeee, want 0x0"},
	{`got "abc1", want "abd1"`, `got "abc2", want "abd1"`},
	{`got "a1b2c3", want "a1b2c4"`, `got "a1b2c5", want "a1b2c4"`},
	{`got "user-3f2a9c1b", want ""`, `got "user-3f2a9c1c", want ""`},
	{`"a1b2c3d4" != "a1b2c3d5"`, `"a1b2c3d6" != "a1b2c3d5"`},
	{"Not equal: \n\texpected: \"9f86d081884c7d65\"\n\tactual  : \"2c26b46b68ffc68f\"", "Not equal: \n\texpected: \"9f86d081884c7d65\"\n\tactual  : \"fcde2b2edba56bf4\""},
	{"assertion failed: 0x0000000000000000000000000000000000000001 != 0x0000000000000000000000000000000000000002",
		"assertion failed: 0x0000000000000000000000000000000000000003 != 0x0000000000000000000000000000000000000002"},
	{"assertion failed: 115792089237316195423570985008687907853269984665640564039457584007913129639935 != 3",
		"assertion failed: 115792089237316195423570985008687907853269984665640564039457584007913129639934 != 3"},
	{"assertion failed: 1000000000000000000 != 2000000000000000000", "assertion failed: 1000000000000000001 != 2000000000000000000"},
	{"got 3s, want 4s", "got 5s, want 4s"},
	{"got 2024-05-06T07:08:09Z, want 2024-05-06T08:08:09Z", "got 2024-05-06T07:08:10Z, want 2024-05-06T08:08:09Z"},
	{"want 2024-05-06", "want 2024-05-07"},
	{"got localhost:8080, want localhost:9090", "got localhost:8081, want localhost:9090"},
	{"got a.go:12, want a.go:13", "got a.go:11, want a.go:13"},
	{"listen tcp :8080: bind: address already in use", "listen tcp :8081: bind: address already in use"},
	{"got version 1.2.3, want 1.2.4", "got version 1.2.2, want 1.2.4"},
	{"no kind v1beta1", "no kind v1beta2"},
	{"unsupported go1.22.3", "unsupported go1.23.1"},
	{"unknown cipher aes128gcm", "unknown cipher aes256gcm"},
	{"bad encoding utf8mb3", "bad encoding utf8mb4"},
	{"bad digest sha256", "bad digest sha512"},
	{"undefined: x1", "undefined: x2"},
	{"undefined: OrInt16x32", "undefined: OrInt16x16"},
	{"undefined: TestHTTP2Server", "undefined: TestHTTP3Server"},
	{"no user user1", "no user user2"},
	{"no host node1rack2dc3", "no host node1rack2dc4"},
	{"no host rack12-node3", "no host rack12-node4"},
	{"no zone us-east-1a", "no zone us-east-1b"},
	{"no id abc123", "no id abc124"},
	{"no user_id 17", "no user_id 18"},
	{"no user 1234567", "no user 1234568"},
	{"read 123456789012 bytes", "read 123456789013 bytes"},
	{"open a1.txt: no such file", "open a2.txt: no such file"},
	{"index out of range [3] with length 3", "index out of range [4] with length 3"},
	{"runtime error: slice bounds out of range [:5]", "runtime error: slice bounds out of range [:6]"},
	{"HTTP 502", "HTTP 503"},
	{"exit status 1", "exit status 2"},
	{"signal 9", "signal 15"},
	{"code=0x1", "code=0x2"},
	{"at x1y2", "at x1y3"},
	{"1e10", "1e11"},
	{"ratio 1.5", "ratio 1.6"},
	{"@alice is not here", "@bob is not here"},
	{"no route to bob@h1.example.com", "no route to bob@h2.example.com"},
	{"mismatch (-want +got):\n  &User{\n- \tID: \"a1b2c3d4e5\",\n+ \tID: \"a1b2c3d4e6\",\n  }", "mismatch (-want +got):\n  &User{\n- \tID: \"a1b2c3d4e5\",\n+ \tID: \"a1b2c3d4e7\",\n  }"},
}

func TestWhatAReaderWouldCallThePointStaysTwo(t *testing.T) {
	for _, p := range points {
		a, b := traceOf(p[0]), traceOf(p[1])
		if got := classify.Compare(a, b); got == record.SameFailureAgain {
			t.Errorf("%q and %q are one failure: %q", p[0], p[1], classify.Normalise(p[0]))
		}
	}
}

// What numbers, codes and names are compared in a message is drawn, too.
func TestValuesThatWereComparedStayTwo(t *testing.T) {
	f := fuzzing(t)
	values := []func(*rand.Rand) string{
		func(r *rand.Rand) string { return figures(r, 1, 20) },
		func(r *rand.Rand) string { return fmt.Sprintf("%#x", r.Uint32()) },
		func(r *rand.Rand) string { return fmt.Sprintf("%x", r.Uint64()) },
		func(r *rand.Rand) string { return fmt.Sprintf("%q", drawn(r, base62, 3+r.IntN(12))) },
		func(r *rand.Rand) string { return fmt.Sprintf("%d.%d.%d", r.IntN(9), r.IntN(30), r.IntN(99)) },
		func(r *rand.Rand) string { return time.Duration(r.Int64N(int64(time.Hour))).String() },
		func(r *rand.Rand) string { return instant(r).Format(time.RFC3339) },
		func(r *rand.Rand) string { return fmt.Sprintf("0x%040x", r.Uint64()) },
	}
	shapes := []string{
		"got %s, want %s", "got: %s\nwant: %s", "expected %s but got %s", "Not equal: \n\texpected: %s\n\tactual  : %s", "assertion failed: %s != %s",
		"f() = 3, want %s, got %s", "log mismatch at param 0: expected=%s, got=%s", "Expected\n    <string>: %s\nto equal\n    <string>: %s",
		"mismatch (-want +got):\n- \t%s\n+ \t%s", "-  %s\n+  %s",
	}
	for r := range f.cases(2000) {
		value, shape := values[r.IntN(len(values))], shapes[r.IntN(len(shapes))]
		want, one, two := value(r), value(r), value(r)
		if one == two {
			continue
		}
		a, b := fmt.Sprintf(shape, want, one), fmt.Sprintf(shape, want, two)
		if classify.Signature(failureOf(a)) == classify.Signature(failureOf(b)) {
			f.Fatalf("%q and %q are one failure: %q", a, b, classify.Normalise(a))
		}
	}
}

// The recordings of the plugins hold what real runners printed.
func TestFailuresOfTheCorporaStayDistinct(t *testing.T) {
	cases, err := filepath.Glob("../../plugins/*/testdata/cases/*.txtar")
	if err != nil || len(cases) < 500 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, path := range cases {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want.json" })
		var want struct {
			Failures []struct {
				Kind    string
				Message string `json:"message_contains"`
			}
		}
		if err := json.Unmarshal(archive.Files[i].Data, &want); err != nil {
			t.Fatal(path, err)
		}
		seen := map[string]string{}
		for _, f := range want.Failures {
			signature := classify.Signature(record.Failure{Kind: f.Kind, Message: f.Message, File: "a"})
			if other, ok := seen[signature]; ok && other != f.Message {
				t.Errorf("%s: %q and %q are one failure", filepath.Base(path), f.Message, other)
			}
			seen[signature] = f.Message
		}
	}
}
