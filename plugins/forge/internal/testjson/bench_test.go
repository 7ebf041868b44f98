package testjson_test

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/internal/testjson"
)

// step is a step of a trace as `-vvvvv` writes it.
const step = `{"pc":1234,"op":96,"contract":"0x7fa9385be102ac3eac297483dd6233d62b3e1496","stack":["0x80","0x1f","0xaabbccdd"],"push_stack":["0x40"],` +
	`"memory":"0x` + "00000000000000000000000000000000000000000000000000000000000000800000000000000000" + `","returndata":"0x","gas_remaining":1073720760,"gas_refund_counter":0,` +
	`"gas_used":21000,"gas_cost":3,"storage_change":null,"status":null,"immediate_bytes":null,"decoded":null}`

// newDocument returns a document of about size bytes, nearly all of it traces.
func newDocument(size int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"test/A.t.sol:ATest":{"duration":"1s","test_results":{`)
	const perTest = 1 << 20
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"test_` + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + `()":{"status":"Failure","reason":"no","traces":[["Execution",{"arena":[{"steps":[`)
		for end := b.Len() + perTest; b.Len() < end; {
			b.WriteString(step + ",")
		}
		b.WriteString(step + `]}]}]],"kind":{"Unit":{"gas":5}},"duration":"1ms"}`)
	}
	b.WriteString("}}}\n")
	return b.Bytes()
}

func BenchmarkTraces(b *testing.B) {
	data := newDocument(64 << 20)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		documents := 0
		r := testjson.NewReader(testjson.Config{Document: func(testjson.Document) { documents++ }})
		for rest := data; len(rest) > 0; {
			n := min(32<<10, len(rest))
			r.Write(rest[:n])
			rest = rest[n:]
		}
		r.Close()
		if documents != 1 {
			b.Fatal("the document was not read")
		}
	}
}

func BenchmarkTests(b *testing.B) {
	var doc strings.Builder
	doc.WriteString(`{"test/A.t.sol:ATest":{"duration":"1s","test_results":{`)
	for i := range 10_000 {
		if i > 0 {
			doc.WriteByte(',')
		}
		doc.WriteString(`"test_` + strings.Repeat("y", i/100) + string(rune('a'+i%26)) + `()":{"status":"Success","reason":null,"counterexample":null,"logs":[],"decoded_logs":[],"kind":{"Unit":{"gas":5123}},"traces":[],"labeled_addresses":{},"duration":"258µs 562ns","breakpoints":{},"gas_snapshots":{}}`)
	}
	doc.WriteString("}}}\n")
	data := []byte(doc.String())
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r := testjson.NewReader(testjson.Config{})
		r.Write(data)
		r.Close()
	}
}

// The memory for a document of 200 MB depends on its tests, not on its size.
func TestAHugeDocumentNeedsLittleMemory(t *testing.T) {
	chunk := []byte(strings.Repeat(step+",", 200))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	tests := 0
	r := testjson.NewReader(testjson.Config{Document: func(d testjson.Document) { tests = len(d.Suites[0].Tests) }})
	r.Write([]byte(`{"test/A.t.sol:ATest":{"test_results":{"t()":{"status":"Success","traces":[["Execution",{"steps":[`))
	for size := 0; size < 200<<20; size += len(chunk) {
		r.Write(chunk)
	}
	r.Write([]byte(step + `]}]],"logs":[]}}}}` + "\n"))
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; tests != 1 || grown > 1<<20 {
		t.Errorf("%d tests, %d bytes allocated", tests, grown)
	}
}
