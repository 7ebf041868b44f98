package testjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// newStream returns what an ordinary verbose run prints: mostly framing, some logging.
func newStream() []byte {
	var b bytes.Buffer
	for i := range 2000 {
		head := func(action string) string {
			return fmt.Sprintf(`{"Time":"2026-11-21T10:48:45.517184913Z","Action":%q,"Package":"example.com/project/internal/p%d","Test":"TestSomething/case_%d"`, action, i/100, i)
		}
		fmt.Fprintf(&b, "%s}\n", head("run"))
		fmt.Fprintf(&b, "%s,\"Output\":\"=== RUN   TestSomething/case_%d\\n\"}\n", head("output"), i)
		fmt.Fprintf(&b, "%s,\"Output\":\"    some_test.go:%d: reading \\\"a\\u003eb\\\" of %d bytes\\n\"}\n", head("output"), i, i)
		fmt.Fprintf(&b, "%s,\"Output\":\"    --- PASS: TestSomething/case_%d (0.00s)\\n\"}\n", head("output"), i)
		fmt.Fprintf(&b, "%s,\"Elapsed\":0.01}\n", head("pass"))
	}
	return b.Bytes()
}

func eachLine(data []byte, f func([]byte)) int {
	n := 0
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n') + 1
		f(data[:end])
		data = data[end:]
		n++
	}
	return n
}

func BenchmarkScan(b *testing.B) {
	data := newStream()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var s Scanner
		var ev Event
		eachLine(data, func(line []byte) {
			if !s.Scan(line, &ev) {
				b.Fatal("not an event")
			}
		})
	}
}

func BenchmarkEncodingJSON(b *testing.B) {
	data := newStream()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var ev reference
		eachLine(data, func(line []byte) {
			if json.Unmarshal(line, &ev) != nil {
				b.Fatal("not an event")
			}
		})
	}
}

// maxAllocsPerEvent keeps the fast path free of allocations; the fraction covers the
// scratch space for escaped names.
const maxAllocsPerEvent = 0.1

func TestScanHardlyAllocates(t *testing.T) {
	data := newStream()
	var s Scanner
	var ev Event
	events := eachLine(data, func([]byte) {})
	allocs := testing.AllocsPerRun(3, func() {
		eachLine(data, func(line []byte) { s.Scan(line, &ev) })
	})
	if perEvent := allocs / float64(events); perEvent > maxAllocsPerEvent {
		t.Errorf("%.3f allocations an event, at most %v are allowed", perEvent, maxAllocsPerEvent)
	}
}
