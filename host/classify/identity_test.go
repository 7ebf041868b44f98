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

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/sdk"
)

// Alphabets of identifiers.
const (
	hexDigits = "0123456789abcdef"
	base36    = "0123456789abcdefghijklmnopqrstuvwxyz"
	base62    = base36 + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	kubeNames = "bcdfghjklmnpqrstvwxz2456789"
)

// drawn returns a random word with letters and digits.
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

// letters returns a random word over this alphabet.
func letters(r *rand.Rand, alphabet string, n int) string {
	word := make([]byte, n)
	for i := range word {
		word[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(word)
}

// podHash returns what Kubernetes derives from a 32-bit number.
func podHash(r *rand.Rand) string { return letters(r, "456789bcdf", 8+r.IntN(3)) }

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

// family is a kind of value that differs from run to run. Some short ones look chosen:
// certain percent must be recognized; of the rest, two must at least be similar.
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
	{"ULID", func(r *rand.Rand) string { return "01" + drawn(r, crockford, 24) }, 98},
	{"KSUID", word(base62, 27), 99},
	{"xid", func(r *rand.Rand) string { return "c" + drawn(r, base36[:32], 19) }, 97},
	{"cuid", func(r *rand.Rand) string { return "ck" + drawn(r, base36, 23) }, 98},
	{"nanoid", word(base62+"_-", 21), 85},
	{"base64", func(r *rand.Rand) string { return drawn(r, base62+"+/", 43) + "=" }, 81},
	{"short nanoid", word(base62, 10), 88},
	{"base 62", word(base62, 12), 93},
	{"base 36", word(base36, 13), 92},
	{"short base 36", word(base36, 8), 71},
	{"base 36 in a name", func(r *rand.Rand) string { return "stack-" + drawn(r, base36, 8) }, 79},
	{"first part of a uuid", word(hexDigits, 8), 94},
	{"first part in a name", func(r *rand.Rand) string { return "db-" + drawn(r, hexDigits, 8) + "-main" }, 95},
	{"short commit", word(hexDigits, 7), 82},
	{"socket", func(r *rand.Rand) string { return "@" + fmt.Sprintf("%05x", r.IntN(1<<20)) }, 100},
	{"short socket", func(r *rand.Rand) string { return "@" + fmt.Sprintf("%04x", r.IntN(1<<16)) }, 100},
	{"object", func(r *rand.Rand) string { return fmt.Sprintf("Object@%08x", r.Uint32()) }, 100},
	{"numbered object", func(r *rand.Rand) string { return "conn#" + drawn(r, hexDigits, 5) }, 98},
	{"named id", func(r *rand.Rand) string { return "session_id=" + drawn(r, base36, 10) }, 97},
	{"short named id", func(r *rand.Rand) string { return "id=" + drawn(r, hexDigits, 4) }, 98},
	{"pod", func(r *rand.Rand) string { return "web-" + podHash(r) + "-" + letters(r, kubeNames, 5) }, 100},
	{"old pod", func(r *rand.Rand) string { return "web-" + figures(r, 9, 10) + "-" + letters(r, base36, 5) }, 100},
	{"replica set", func(r *rand.Rand) string { return "web-" + drawn(r, "456789bcdf", 9) }, 98},
	{"pod of a job", func(r *rand.Rand) string { return "backup-" + drawn(r, kubeNames, 5) }, 49},
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

// shapes are typical messages with a placeholder for what varies.
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

func failureOf(message string) api.Failure {
	return api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "T"}, Kind: "assertion", Location: sdk.Location{File: "a_test.x"}, Message: message}}
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
			if likeness == api.SameFailureAgain {
				known[family.name]++
			}
			if likeness != api.SameFailureAgain && (family.certain == 100 || likeness != api.SimilarFailure && shape != "%s" && !strings.HasPrefix(shape, "waiting")) {
				if bad[family.name]++; bad[family.name] > 1 {
					continue
				}
				f.Errorf("%s: %q and %q are %q\n%q\n%q", family.name, a, b, likeness, classify.Normalize(a), classify.Normalize(b))
			}
		}
	}
	for _, family := range families {
		if known[family.name]*100 < family.certain*of[family.name] {
			t.Errorf("%s: %d of %d have one signature, want %d in 100", family.name, known[family.name], of[family.name], family.certain)
		}
	}
}

// points are pairs of messages of one test that stand for different failures.
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
	// From the plugins' recordings and common libraries.
	{"Sum(2, 2) = 5, want 4", "Sum(2, 2) = 6, want 4"},
	{"expected: 1 actual : 2", "expected: 1 actual : 3"},
	{"Book number 0: Expected <int>: 0 to equal <int>: -1", "Book number 0: Expected <int>: 0 to equal <int>: 1"},
	{"Book number 0: out of pages", "Book number 1: out of pages"},
	{"(length 1) to have length 2", "(length 3) to have length 2"},
	{"\"[1 2 3]\" should have 4 item(s), but has 3", "\"[1 2 3]\" should have 5 item(s), but has 3"},
	{"Should be true: user 5 should be active", "Should be true: user 6 should be active"},
	{"unexpected length: len(got): int(2) want length: int(3)", "unexpected length: len(got): int(4) want length: int(3)"},
	{"assertion failed: 3 (int) != 4 (int): for user 5", "assertion failed: 3 (int) != 4 (int): for user 7"},
	{"Unexpected call to *m.db.Get([8])", "Unexpected call to *m.db.Get([9])"},
	{"missing call(s) to *m.db.Get(is equal to 9 (int))", "missing call(s) to *m.db.Get(is equal to 8 (int))"},
	{"mock: Unexpected Method Call: Get(int,*m.person): (int=8) != (int=7)", "mock: Unexpected Method Call: Get(int,*m.person): (int=6) != (int=7)"},
	{"not true: 1 == 2", "not true: 1 == 3"},
	{"rate 50% of %d, got 5%, want 6%", "rate 50% of %d, got 7%, want 6%"},
	{"number 101 is wrong", "number 102 is wrong"},
	{"status = 500", "status = 503"},
	{"row count = 0", "row count = 1"},
	{"unexpected call to os.Exit(0)", "unexpected call to os.Exit(1)"},
	{"cannot compile Go 1.26 code", "cannot compile Go 1.27 code"},
	{"attempt 1", "attempt 2"},
	{"while reading page 7", "while reading page 8"},
	{"panic: runtime error: index out of range [5] with length 2", "panic: runtime error: index out of range [5] with length 3"},
	{"runtime error: makeslice: len out of range: 1000000", "runtime error: makeslice: len out of range: 1000001"},
	{"strconv.Atoi: parsing \"12a\": invalid syntax", "strconv.Atoi: parsing \"12b\": invalid syntax"},
	{"strconv.ParseInt: parsing \"99999\": value out of range", "strconv.ParseInt: parsing \"99998\": value out of range"},
	{"invalid character '1' after top-level value", "invalid character '2' after top-level value"},
	{"unexpected status code: 404", "unexpected status code: 410"},
	{"server returned HTTP status 502 Bad Gateway", "server returned HTTP status 504 Bad Gateway"},
	{"rpc error: code = Code(17) desc = no", "rpc error: code = Code(18) desc = no"},
	{"sql: expected 3 arguments, got 2", "sql: expected 3 arguments, got 4"},
	{"pq: error 23505: duplicate key", "pq: error 23503: duplicate key"},
	{"Error 1062 (23000): Duplicate entry", "Error 1146 (42S02): Duplicate entry"},
	{"ORA-00942: table does not exist", "ORA-00904: table does not exist"},
	{"schema version 41, want 42", "schema version 40, want 42"},
	{"module requires go >= 1.21", "module requires go >= 1.22"},
	{"unsupported protocol version 0x0303", "unsupported protocol version 0x0304"},
	{"tls: unsupported curve 29", "tls: unsupported curve 23"},
	{"unexpected opcode 0x4f", "unexpected opcode 0x5f"},
	{"bad magic 0xcafe", "bad magic 0xbabe"},
	{"unknown selector 0xa9059cbb", "unknown selector 0x23b872dd"},
	{"bind: port 80 is in use", "bind: port 443 is in use"},
	{"got port 80, want 443", "got port 8080, want 443"},
	{"lookup db1: no such host", "lookup db2: no such host"},
	{"no such zone eu-west-1", "no such zone eu-west-3"},
	{"no instance t2micro", "no instance t3micro"},
	{"unknown image node-18", "unknown image node-20"},
	{"unknown image postgres-15-alpine", "unknown image postgres-16-alpine"},
	{"no module lib-http2", "no module lib-http3"},
	{"no module lib-html4", "no module lib-html5"},
	{"bad alg jwt-hs256", "bad alg jwt-hs384"},
	{"no file system ext-btrfs", "no file system ext-tmpfs"},
	{"no file system ext-xhtml", "no file system ext-https"},
	{"no server app-dhcp4", "no server app-dhcp6"},
	{"no build linux-ppc64", "no build linux-arm64"},
	{"no build linux-amd64v2", "no build linux-amd64v3"},
	{"no curve secp256k1", "no curve secp384r1"},
	{"no key ed25519", "no key ed448"},
	{"no cipher chacha20poly1305", "no cipher xchacha20poly1305"},
	{"no hash blake2b256", "no hash blake2s256"},
	{"no charset iso8859x1", "no charset iso8859x2"},
	{"no interface enp0s3", "no interface enp0s8"},
	{"no device nvme0n1p1", "no device nvme0n1p2"},
	{"no device ttyUSB0", "no device ttyUSB1"},
	{"signal: killed (SIGXCPU)", "signal: killed (SIGXFSZ)"},
	{"bad color #ffcc00", "bad color #ffcc01"},
	{"bad color #fc0", "bad color #fc1"},
	{"see issue #12345", "see issue #12346"},
	{"fixes #7", "fixes #8"},
	{"user_id=17 has no rights", "user_id=18 has no rights"},
	{"id=404 has no rights", "id=405 has no rights"},
	{"id=1001 has no rights", "id=1002 has no rights"},
	{"no order id: 10023", "no order id: 10024"},
	{"unexpected token \"dead\"", "unexpected token \"beef\""},
	{"unexpected token 3", "unexpected token 4"},
	{"commit added no file", "commit faded no file"},
	{"no user test-abc123", "no user test-abc124"},
	{"no table orders_2023", "no table orders_2024"},
	{"no table orders_20240506", "no table orders_20240507"},
	{"no release 2024.05.1", "no release 2024.05.2"},
	{"no release v2rc4", "no release v2rc5"},
	{"no release foo-v1.2.3-rc1", "no release foo-v1.2.3-rc2"},
	{"no step s1e2", "no step s1e3"},
	{"no topic orders-3-4", "no topic orders-3-5"},
	{"no shard shard-0005", "no shard shard-0006"},
	{"no pod web-0", "no pod web-1"},
	{"3 of 10 workers are ready", "4 of 10 workers are ready"},
	{"balance is 100.25", "balance is 100.52"},
	{"x = 1.5e10", "x = 1.5e11"},
	{"mean 0.12345678 is off", "mean 0.12345679 is off"},
	{"gas: 21000", "gas: 21064"},
	{"revert: ERC20: 5 exceeds 4", "revert: ERC20: 6 exceeds 4"},
	{"Error != expected error: Panic(17) != Panic(18)", "Error != expected error: Panic(1) != Panic(18)"},
	{"panic: arithmetic underflow or overflow (0x11)", "panic: division or modulo by zero (0x12)"},
	{"want 3 rows in part 2 of 4", "want 3 rows in part 3 of 4"},
	{"level 2 heading on line 3", "level 3 heading on line 3"},
	{"test requires 4 cpus, has 2", "test requires 8 cpus, has 2"},
	{"key k1 is missing", "key k2 is missing"},
	{"a[3][4] is not set", "a[3][5] is not set"},
	{"row 1, column 2: bad quote", "row 1, column 3: bad quote"},
	{"offset 1024: bad header", "offset 2048: bad header"},
	{"chunk 17: checksum differs", "chunk 18: checksum differs"},
	{"utf8: invalid byte 0xfe", "utf8: invalid byte 0xff"},
}

func TestDifferencesThatMatterToAReaderStayDistinct(t *testing.T) {
	for _, p := range points {
		a, b := traceOf(p[0]), traceOf(p[1])
		if got := classify.Compare(a, b); got == api.SameFailureAgain {
			t.Errorf("%q and %q are one failure: %q", p[0], p[1], classify.Normalize(p[0]))
		}
	}
}

// The numbers, codes and names compared in a message are random, too.
func TestComparedValuesStayDistinct(t *testing.T) {
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
			f.Fatalf("%q and %q are one failure: %q", a, b, classify.Normalize(a))
		}
	}
}

// The plugins' recordings hold what real runners printed.
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
			signature := classify.Signature(api.Failure{Failure: sdk.Failure{Kind: f.Kind, Message: f.Message, Location: sdk.Location{File: "a"}}})
			if other, ok := seen[signature]; ok && other != f.Message {
				t.Errorf("%s: %q and %q are one failure", filepath.Base(path), f.Message, other)
			}
			seen[signature] = f.Message
		}
	}
}
