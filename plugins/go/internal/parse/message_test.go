package parse

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// testifyText is what assert.Equal prints when called from a helper.
const testifyText = "    a_test.go:4: \n" +
	"        \tError Trace:\t/gone/m/a_test.go:4\n" +
	"        \t            \t\t\t\t/gone/m/a_test.go:8\n" +
	"        \t            \t\t\t\t/gopath/pkg/mod/github.com/stretchr/testify@v1.8.4/suite/suite.go:9\n" +
	"        \t            \t\t\t\t/usr/local/go/src/reflect/value.go:581\n" +
	"        \t            \t\t\t\t/usr/local/go/src/runtime/asm_amd64.s:1771\n" +
	"        \tError:      \tNot equal: \n" +
	"        \t            \texpected: \"a\\nb\"\n" +
	"        \t            \tactual  : \"a\\nc\"\n" +
	"        \t            \t\n" +
	"        \t            \tDiff:\n" +
	"        \t            \t--- Expected\n" +
	"        \t            \t+++ Actual\n" +
	"        \t            \t-b\n" +
	"        \t            \t+c\n" +
	"        \tTest:       \tTestA\n" +
	"        \tMessages:   \twhile checking\n"

func TestTestifyMessages(t *testing.T) {
	stream := new(script).start().run("TestA").out("TestA", testifyText).end("fail", "TestA").completed("fail")
	f := parseStream(recorded, stream.String(), red).failure(t, "TestA")
	if want := "Not equal:\nexpected: \"a\\nb\"\nactual  : \"a\\nc\"\nwhile checking"; f.Message != want {
		t.Errorf("message is %q, want %q", f.Message, want)
	}
	if want := (sdk.Diff{Got: `"a\nc"`, Want: `"a\nb"`, Text: "--- Expected\n+++ Actual\n-b\n+c"}); f.Diff != want {
		t.Errorf("diff is %+v", f.Diff)
	}
	if f.Location.Line != 4 || f.TestFrame.Line != 8 {
		t.Errorf("places are %v and %v", f.Location, f.TestFrame)
	}
}

// A fork of testify that does not mark its functions as helpers fails tests from its
// own files.
func TestAnErrorTraceSaysWhereALibraryWasCalled(t *testing.T) {
	t.Parallel()
	stream := new(script).start().run("TestA").out("TestA",
		"    /gopath/pkg/mod/example.com/testify@v2.6.1/internal/equal.go:75: \n"+
			"        \tError Trace:\t/gone/m/a_test.go:49\n"+
			"        \tError:      \tNot equal: \n"+
			"        \t            \texpected: \"no\"\n"+
			"        \t            \tactual  : \"false\"\n"+
			"        \tTest:       \tTestA\n").
		end("fail", "TestA").completed("fail")
	if f := parseStream(recorded, stream.String(), red).failure(t, "TestA"); f.Location != (sdk.Location{File: "/gone/m/a_test.go", Line: 49}) {
		t.Errorf("place is %v", f.Location)
	}
}

func TestTestifySuitesThatRecoverPanics(t *testing.T) {
	stream := new(script).start().run("TestSuite").run("TestSuite/TestPanic").out("TestSuite/TestPanic",
		"    /gopath/pkg/mod/github.com/stretchr/testify@v1.8.4/suite/suite.go:87: test panicked: assignment to entry in nil map\n"+
			"        goroutine 33 [running]:\n"+
			"        runtime/debug.Stack()\n"+
			"        \t/usr/local/go/src/runtime/debug/stack.go:26 +0x5e\n"+
			"        panic({0x820d00?, 0xc02b00?})\n"+
			"        \t/usr/local/go/src/runtime/panic.go:860 +0x13a\n"+
			"        example.com/m.(*S).TestPanic(0x0?)\n"+
			"        \t/gone/m/a_test.go:71 +0x28\n").
		end("fail", "TestSuite/TestPanic").end("fail", "TestSuite").completed("fail")
	got := parseStream(recorded, stream.String(), red)
	f := got.failure(t, "TestSuite/TestPanic")
	if f.Kind != sdk.KindPanic || f.Message != "assignment to entry in nil map" || f.Location.Line != 71 {
		t.Errorf("failure is %s %q at %v", f.Kind, f.Message, f.Location)
	}
	if got.suites[pkg] != sdk.SuiteFailed {
		t.Errorf("the process went on, but the suite is %v", got.suites[pkg])
	}
}

func TestTestifyMocksSayWhereTheyWereCalled(t *testing.T) {
	stream := new(script).start().run("TestA").out("TestA",
		"    /gopath/pkg/mod/github.com/stretchr/testify@v1.9.0/mock/mock.go:361: \n"+
			"        mock: I don't know what to return\n"+
			"        at: [/gopath/pkg/mod/github.com/stretchr/testify@v1.9.0/mock/mock.go:351 /gone/m/mock_test.go:11 /gone/m/a_test.go:7]\n").
		end("fail", "TestA").completed("fail")
	if f := parseStream(recorded, stream.String(), red).failure(t, "TestA"); f.Location != (sdk.Location{File: "/gone/m/mock_test.go", Line: 11}) {
		t.Errorf("place is %v", f.Location)
	}
}

func TestExamples(t *testing.T) {
	run := newProject(t, map[string]string{"a_test.go": "package m\n\nfunc ExampleF() {\n\t// Output: two\n}\n"})
	for name, want := range map[string]string{"ordered": "want:\n", "unordered": "want (unordered):\n"} {
		t.Run(name, func(t *testing.T) {
			stream := new(script).start().run("ExampleF").out("ExampleF", "--- FAIL: ExampleF (0.00s)\ngot:\none\n\nmore\n"+want+"two\n").
				ended("fail", "ExampleF").completed("fail")
			f := parseStream(run, stream.String(), red).failure(t, "ExampleF")
			if f.Kind != sdk.KindExample || f.Diff.Got != "one\n\nmore" || f.Diff.Want != "two" || f.Location.Line != 3 {
				t.Errorf("failure is %s %+v at %v", f.Kind, f.Diff, f.Location)
			}
		})
	}
}

func TestFuzzing(t *testing.T) {
	for _, tt := range []struct {
		name, nested, message string
		line                  int
	}{
		{"message", "        a_test.go:9: saw \"000\"\n    \n", `saw "000"`, 9},
		{"panic", "        testing.go:2047: panic: fuzz boom\n            goroutine 35 [running]:\n            example.com/m.FuzzX.func1(0x0?)\n            \t/gone/m/a_test.go:12 +0xec\n            \n    \n", "fuzz boom", 12},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stream := new(script).start().run("FuzzX").out("FuzzX", "fuzz: elapsed: 0s, minimizing\n--- FAIL: FuzzX (0.01s)\n    --- FAIL: FuzzX (0.00s)\n"+tt.nested+
				"    Failing input written to testdata/fuzz/FuzzX/d503c9\n    To re-run:\n    go test -run=FuzzX/d503c9\n").
				ended("fail", "FuzzX").out("", "FAIL\nexit status 1\n").died("fail")
			f := parseStream(recorded, stream.String(), red).failure(t, "FuzzX")
			if f.Kind != sdk.KindFuzz || f.Message != tt.message || f.Location.Line != tt.line {
				t.Errorf("failure is %s %q at %v", f.Kind, f.Message, f.Location)
			}
			if got := strings.Join(f.Repro.Argv, " "); got != "go test -run ^FuzzX$/^d503c9$ example.com/m" {
				t.Errorf("reproduced by %q", got)
			}
		})
	}
}

func TestBlockStarts(t *testing.T) {
	for _, tt := range []struct {
		text, file string
		line       int
		glued      bool
	}{
		{"    a_test.go:9: msg", "a_test.go", 9, false},
		{"    /with space/a_test.go:9: msg: b.go:3: x", "/with space/a_test.go", 9, false},
		{`    C:\x\a_test.go:9: msg`, `C:\x\a_test.go`, 9, false},
		{"    a_test.go:9:", "a_test.go", 9, false},
		{"50%    a_test.go:9: msg", "a_test.go", 9, true},
		{"        a_test.go:9: continued", "", 0, false},
		{"a_test.go:9: by package log", "", 0, false},
		{"    a_test.go:x: msg", "", 0, false},
		{"    a_test.go:0: msg", "", 0, false},
		{"    a_test.go:9:5: vet", "", 0, false},
		{"", "", 0, false},
	} {
		file, line, _, glued, ok := blockStart(tt.text)
		if !ok {
			file, line = "", 0
		}
		if file != tt.file || line != tt.line || ok && glued != tt.glued {
			t.Errorf("%q is read as %s:%d glued %v", tt.text, file, line, glued)
		}
	}
}

func TestClipKeepsBothEndsAndCharacters(t *testing.T) {
	for _, limit := range []int{200, 201, 202, 203} {
		got := clip("start"+strings.Repeat("é", 1000)+"end", limit)
		if len(got) > limit || !strings.HasPrefix(got, "start") || !strings.HasSuffix(got, "end") || strings.Contains(got, "\uFFFD") || strings.ToValidUTF8(got, "") != got {
			t.Errorf("limit %d: %q", limit, got)
		}
	}
}

// A check in a loop repeats its message at the same place, and code that folds
// repetitions must be able to see them.
func TestAFurtherMessageHasItsDiffUnlessItIsARepetition(t *testing.T) {
	text := strings.ReplaceAll(strings.ReplaceAll(testifyText, `"a\nb"`, "T{A:1}"), `"a\nc"`, "T{A:2}")
	other := strings.ReplaceAll(text, "+c\n", "+d\n")
	stream := new(script).start().run("TestA").out("TestA", text+text+other).end("fail", "TestA").completed("fail")
	f := parseStream(recorded, stream.String(), red).failure(t, "TestA")
	if len(f.Also) != 2 || f.Also[0].Message != f.Message || f.Also[1].Message != "Not equal:\n-b\n+d" {
		t.Errorf("further messages of %q: %+v", f.Message, f.Also)
	}
}

func TestAnExampleThatExpectsOrPrintsNothingSaysSo(t *testing.T) {
	for text, want := range map[string]string{"got:\none\nwant:\n": "nothing was expected", "got:\nwant:\none\n": "it printed nothing"} {
		stream := new(script).start().run("ExampleF").out("ExampleF", "--- FAIL: ExampleF (0.00s)\n"+text).ended("fail", "ExampleF").completed("fail")
		if f := parseStream(recorded, stream.String(), red).failure(t, "ExampleF"); !strings.Contains(f.Message, want) {
			t.Errorf("%q: message is %q", text, f.Message)
		}
	}
}
