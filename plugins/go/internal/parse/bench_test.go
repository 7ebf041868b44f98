package parse

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// discard is a sink that keeps nothing.
type discard struct{ tests, failures int }

func (d *discard) Test(sdk.TestResult)   { d.tests++ }
func (d *discard) Failure(sdk.Failure)   { d.failures++ }
func (d *discard) Suite(sdk.SuiteResult) {}
func (d *discard) Unread(sdk.Unread)     {}
func (d *discard) Note(string)           {}
func (d *discard) RunError(string)       {}
func (d *discard) Output([]byte)         {}
func (d *discard) Condition(_, _ string) {}

// passingRun returns a run in which everything passes, with five events for each test.
func passingRun(tests int) []byte {
	var b bytes.Buffer
	const at = `{"Time":"2026-11-21T10:48:45.517184913Z","Action":`
	for i := range tests {
		pkg, name := fmt.Sprintf("example.com/project/internal/p%d", i/500), fmt.Sprintf("TestSomething/case_%d", i)
		ids := fmt.Sprintf(`"Package":%q,"Test":%q`, pkg, name)
		fmt.Fprintf(&b, "%s\"run\",%s}\n", at, ids)
		fmt.Fprintf(&b, "%s\"output\",%s,\"Output\":\"=== RUN   %s\\n\"}\n", at, ids, name)
		fmt.Fprintf(&b, "%s\"output\",%s,\"Output\":\"    some_test.go:%d: read \\\"a\\u003eb\\\"\\n\"}\n", at, ids, i)
		fmt.Fprintf(&b, "%s\"output\",%s,\"Output\":\"--- PASS: %s (0.00s)\\n\"}\n", at, ids, name)
		fmt.Fprintf(&b, "%s\"pass\",%s,\"Elapsed\":0.01}\n", at, ids)
		if i%500 == 499 {
			fmt.Fprintf(&b, "%s\"output\",\"Package\":%q,\"Output\":\"PASS\\n\"}\n%s\"pass\",\"Package\":%q,\"Elapsed\":0.1}\n", at, pkg, at, pkg)
		}
	}
	return b.Bytes()
}

// hostChunk is the size of the host's chunks.
const hostChunk = 32_704

func feedChunks(p *Parser, data []byte, size int) {
	for len(data) > 0 {
		n := min(size, len(data))
		p.Write(sdk.Stdout, data[:n])
		data = data[n:]
	}
}

func BenchmarkParsePassing(b *testing.B) {
	data := passingRun(20_000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		sink := &discard{}
		p := New(Config{}, sink)
		feedChunks(p, data, hostChunk)
		p.Close(sdk.Exit{})
		if sink.tests != 20_000 || sink.failures != 0 {
			b.Fatalf("%d tests, %d failures", sink.tests, sink.failures)
		}
	}
}

// BenchmarkParseDeclared parses the run of a package of 10,000 tests whose sources
// exist.
func BenchmarkParseDeclared(b *testing.B) {
	const tests, inFile = 10_000, 100
	files := map[string]string{}
	stream := new(script).start()
	var src strings.Builder
	for i := range tests {
		if i%inFile == 0 {
			src.Reset()
			src.WriteString("package m\n\nimport \"testing\"\n")
		}
		name := fmt.Sprintf("TestSomething%d", i)
		fmt.Fprintf(&src, "\nfunc %s(t *testing.T) {\n\tif got := something(%d); got != \"a\\\"b\" {\n\t\tt.Errorf(\"got %%q\", got) // no\n\t}\n}\n", name, i)
		files[fmt.Sprintf("f%d_test.go", i/inFile)] = src.String()
		stream.run(name).end("pass", name)
	}
	run := newProject(b, files)
	data := []byte(stream.completed("pass").String())
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		sink := &discard{}
		p := New(Config{Run: run}, sink)
		feedChunks(p, data, hostChunk)
		p.Close(sdk.Exit{})
		if sink.tests != tests || sink.failures != 0 {
			b.Fatalf("%d tests, %d failures", sink.tests, sink.failures)
		}
	}
}

// BenchmarkParseFailing parses the run of a package of 2,000 tests that fail with what
// testify prints about two structs.
func BenchmarkParseFailing(b *testing.B) {
	const tests = 2_000
	stream := new(script).start()
	for i := range tests {
		name := fmt.Sprintf("TestSomething%d", i)
		stream.run(name).out(name, testifyText+strings.Repeat("printed by the test\n", 40)).end("fail", name)
	}
	data := []byte(stream.completed("fail").String())
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		sink := &discard{}
		p := New(Config{}, sink)
		feedChunks(p, data, hostChunk)
		p.Close(sdk.Exit{})
		if sink.failures != tests {
			b.Fatalf("%d failures", sink.failures)
		}
	}
}
