package parse

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

const logSource = `package m

import "testing"

func logIt(t *testing.T, s string)  { t.Helper(); t.Log(s) }
func failIt(t *testing.T, s string) { t.Helper(); fail(t, s) }
func fail(t *testing.T, s string)   { t.Helper(); t.Error(s) }

func TestA(t *testing.T) {
	t.Log("a log")
	t.Log(err.Error())
	logIt(t, "logged")
	t.Errorf(
		"spread %d",
		1,
	)
	failIt(t, "failed")
	t.Skip("why")
	elsewhere.Check(t)
	elsewhere.Logf(t, "x")
}
`

// runTestA runs TestA of logSource with some output.
func runTestA(t *testing.T, text string) *seen {
	t.Helper()
	run := newProject(t, map[string]string{"a_test.go": logSource})
	return parseStream(run, new(script).start().run("TestA").out("TestA", text).end("fail", "TestA").completed("fail").String(), red)
}

func TestLogsAreNoFailures(t *testing.T) {
	for _, tt := range []struct {
		name, text, message string
		line                int
	}{
		{"log first", "    a_test.go:10: note\n    a_test.go:13: spread 1\n", "spread 1", 13},
		{"log of an error", "    a_test.go:11: boom\n    a_test.go:13: spread 1\n", "spread 1", 13},
		{"log helper", "    a_test.go:12: logged\n    a_test.go:17: failed\n", "failed", 17},
		{"skip after", "    a_test.go:17: failed\n    a_test.go:18: why\n", "failed", 17},
		{"helper of another module", "    a_test.go:19: not good\n", "not good", 19},
		{"log of another module", "    a_test.go:20: x\n    a_test.go:17: failed\n", "failed", 17},
		{"logs only", "    a_test.go:10: note\n    a_test.go:12: logged\n", silent + "; its last log: logged", 12},
		{"a log that announces lines", "    a_test.go:12: logged:\n        a\n        b\n", silent + "; its last log: logged:\na\nb", 12},
		{"nothing", "", silent, 9},
		{"printed, no such file", "    ghost_test.go:3: ghost\n    a_test.go:17: failed\n", "failed", 17},
		{"glued", "progress 50%    a_test.go:17: failed\n", "failed", 17},
		{"continued", "    a_test.go:17: got: 5\n        want: 3\n", "got: 5\nwant: 3", 17},
		{"empty", "    a_test.go:17: \n", "failed with an empty message", 17},
		{"a script that does not exist", "    a_test.go:17: FAIL: testdata/no.txt:3: no match\n", "testdata/no.txt:3: no match", 17},
		{"a script outside of the workspace", "    a_test.go:17: FAIL: ../../../../../../etc/passwd:3: no match\n", "../../../../../../etc/passwd:3: no match", 17},
		{"a line as of a script", "    a_test.go:17: it printed\n        FAIL: x.txt:3: no match\n", "it printed\nFAIL: x.txt:3: no match", 17},
		{"after a panic", "    /usr/local/go/src/runtime/panic.go:9: PANIC\n        m.TestA()\n        \t/usr/local/go/src/reflect/value.go:5 +0x1\n        \ta_test.go:17 +0x2\n", "PANIC\nm.TestA()\n\t/usr/local/go/src/reflect/value.go:5 +0x1\n\ta_test.go:17 +0x2", 17},
		{"worded as a log of gunit", "    a_test.go:17: Test definition:\n        foo\n", "Test definition:\nfoo", 17},
		{"worded as a log of datadriven", "    a_test.go:17: \n        file:3:\n          cmd\n          ----\n        out\n", "file:3:\n  cmd\n  ----\nout", 17},
		{"a log of gunit", "    a_test.go:19: Test definition:\n        foo\n    a_test.go:19: not good\n", "not good", 19},
		{"no-break spaces", "    a_test.go:17: a\u00a0b\n", "a b", 17},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := runTestA(t, tt.text).failure(t, "TestA")
			if f.Message != tt.message || f.Location.Line != tt.line || f.Location.File != "a_test.go" {
				t.Errorf("failure is %q at %v, want %q at a_test.go:%d", f.Message, f.Location, tt.message, tt.line)
			}
			if f.Kind != sdk.KindAssertion {
				t.Errorf("kind is %s", f.Kind)
			}
		})
	}
}

func TestWhatALibraryLogsIsTheReasonOnlyIfNothingElseIs(t *testing.T) {
	lib := filepath.ToSlash(filepath.Join(t.TempDir(), "log@v1.0.0", "log.go"))
	testfiles.Write(t, filepath.FromSlash(lib), "package log\n\nfunc (l l) Info(s string) {\n\tl.t.Logf(s)\n}\n")
	logged := "    " + lib + ":4: starting\n    " + lib + ":4: no oil\n"
	for _, tt := range []struct{ name, text, message, also string }{
		{"and an error", logged + "    a_test.go:17: failed\n", "failed", ""},
		{"and a log", logged + "    a_test.go:10: note\n", "no oil", "starting"},
		{"alone", logged, "no oil", "starting"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := newProject(t, map[string]string{"a_test.go": logSource})
			text := strings.ReplaceAll(tt.text, "a_test.go", filepath.ToSlash(run.Workspace.Root)+"/a_test.go")
			f := parseStream(run, new(script).start().run("TestA").out("TestA", text).end("fail", "TestA").completed("fail").String(), red).failure(t, "TestA")
			also := ""
			for _, a := range f.Also {
				also += a.Message
			}
			if f.Message != tt.message || also != tt.also {
				t.Errorf("%q, also %q", f.Message, also)
			}
		})
	}
}

func TestFurtherMessagesAreAttached(t *testing.T) {
	f := runTestA(t, "    a_test.go:13: first\n    a_test.go:10: note\n    a_test.go:17: second\n").failure(t, "TestA")
	want := []sdk.Also{{Location: sdk.Location{File: "a_test.go", Line: 17}, Message: "second"}}
	if len(f.Also) != 1 || f.Also[0] != want[0] {
		t.Errorf("attached are %v, want %v", f.Also, want)
	}
}

func BenchmarkManyFailuresOfAFile(b *testing.B) {
	const tests = 8000
	source := strings.Builder{}
	source.WriteString("package m\n\nimport \"testing\"\n\n")
	stream := new(script).start()
	for i := range tests {
		name := fmt.Sprint("TestT", i)
		fmt.Fprintf(&source, "func %s(t *testing.T) {\n\tif f(t) {\n\t\tt.Error(\"no\")\n\t}\n}\n", name)
		stream.run(name).out(name, fmt.Sprintf("    a_test.go:%d: no\n", 7+5*i)).end("fail", name)
	}
	run := newProject(b, map[string]string{"a_test.go": source.String()})
	text := stream.completed("fail").String()
	for b.Loop() {
		if got := parseStream(run, text, red); len(got.failures) != tests || got.failures[tests-1].Message != "no" {
			b.Fatalf("%d failures", len(got.failures))
		}
	}
}

func TestErrorsAreMarkedSinceGo127(t *testing.T) {
	run := newProject(t, map[string]string{"a_test.go": logSource})
	stream := new(script).start().run("TestA").
		out("TestA", "    a_test.go:17: looks like an error, is a log\n").
		typed("TestA", "    a_test.go:10: is an error\n", "error").
		typed("TestA", "        of two lines\n", "error-continue").
		end("fail", "TestA").completed("fail")
	f := parseStream(run, stream.String(), red).failure(t, "TestA")
	if f.Location.Line != 10 || f.Message != "is an error\nof two lines" || len(f.Also) != 0 {
		t.Errorf("failure is %q at %v, also %v", f.Message, f.Location, f.Also)
	}
}

// gotest.tools logs and then calls FailNow, so no line is marked.
func TestLibrariesThatLogAreReadSinceGo127(t *testing.T) {
	run := newProject(t, map[string]string{"a_test.go": logSource})
	stream := new(script).start().run("TestA").
		typed("TestA", "=== RUN   TestA\n", "frame").
		out("TestA", "    a_test.go:19: assertion failed: 1 != 2\n").end("fail", "TestA").completed("fail")
	if f := parseStream(run, stream.String(), red).failure(t, "TestA"); f.Message != "assertion failed: 1 != 2" {
		t.Errorf("message is %q", f.Message)
	}
}

func TestParentsOfFailedSubtestsAreDerived(t *testing.T) {
	source := "package m\n\nimport \"testing\"\n\nfunc TestP(t *testing.T) {\n\tt.Log(\"setup\")\n\tt.Error(\"own\")\n}\n"
	for _, tt := range []struct {
		name, own string
		derived   bool
	}{
		{"silent", "", true},
		{"logs", "    a_test.go:6: setup\n", true},
		{"own error", "    a_test.go:7: own\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := newProject(t, map[string]string{"a_test.go": source})
			stream := new(script).start().run("TestP").run("TestP/x").out("TestP/x", "    a_test.go:7: sub\n").
				end("fail", "TestP/x").out("TestP", tt.own).end("fail", "TestP").completed("fail")
			got := parseStream(run, stream.String(), red)
			got.failure(t, "TestP/x")
			if n := len(got.failures); (n == 1) != tt.derived {
				t.Errorf("%d failures, derived should be %v", n, tt.derived)
			}
			for _, r := range got.tests {
				if r.Test == "TestP" && (r.Derived != tt.derived || !r.Container) {
					t.Errorf("parent is %+v", r)
				}
				if r.Test == "TestP/x" && r.Root != "TestP" {
					t.Errorf("root of the subtest is %q", r.Root)
				}
			}
		})
	}
}

func TestParentsThatLogThroughLibrariesAreDerivedSinceGo127(t *testing.T) {
	run := newProject(t, map[string]string{"a_test.go": logSource})
	stream := new(script).start().run("TestA").run("TestA/x").typed("TestA/x", "    a_test.go:13: bad\n", "error").end("fail", "TestA/x").
		out("TestA", "    a_test.go:19: a helper of another module logs\n").end("fail", "TestA").completed("fail")
	if got := parseStream(run, stream.String(), red); len(got.failures) != 1 {
		t.Errorf("got %v", got.log)
	}
}

func TestHelpersInOtherPackages(t *testing.T) {
	run := newProject(t, map[string]string{
		"check/check.go": "package check\n\nimport \"testing\"\n\nfunc Equal(t *testing.T, a, b int) {\n\tt.Errorf(\"%d != %d\", a, b)\n}\n",
		"a_test.go":      "package m\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m/check\"\n)\n\nfunc TestA(t *testing.T) {\n\tcheck.Equal(t, 1, 2)\n}\n",
	})
	for name, file := range map[string]string{"base name": "check.go", "full path": run.Workspace.Root + "/check/check.go"} {
		t.Run(name, func(t *testing.T) {
			stream := new(script).start().run("TestA").out("TestA", "    "+file+":6: 1 != 2\n").end("fail", "TestA").completed("fail")
			f := parseStream(run, stream.String(), red).failure(t, "TestA")
			if f.Location != (sdk.Location{File: "check/check.go", Line: 6}) {
				t.Errorf("place is %v", f.Location)
			}
			if f.TestFrame != (sdk.Location{File: "a_test.go", Line: 10}) {
				t.Errorf("place in the test is %v", f.TestFrame)
			}
		})
	}
}

func TestPathsOfAnotherMachineAreMapped(t *testing.T) {
	run := newProject(t, map[string]string{"sub/a_test.go": logSource})
	stream := strings.ReplaceAll(new(script).start().run("TestA").
		out("TestA", "    /builds/ci/project/sub/a_test.go:17: failed\n").end("fail", "TestA").completed("fail").String(), pkg, pkg+"/sub")
	if f := parseStream(run, stream, red).failure(t, "TestA"); f.Location.File != "sub/a_test.go" {
		t.Errorf("place is %v", f.Location)
	}
}

func TestFilesOfOtherModulesAreNotMapped(t *testing.T) {
	run := newProject(t, map[string]string{"sub/a_test.go": logSource})
	for _, file := range []string{"/gone/pkg/mod/example.com/x@v1.2.3/sub/a_test.go", "/gone/vendor/example.com/x/sub/a_test.go"} {
		if got := newTree(run, selection{}).locate(&suite{name: pkg}, file, 3); got.File != file {
			t.Errorf("%s is mistaken for %s", file, got.File)
		}
	}
}

func TestParentEndedByASubtest(t *testing.T) {
	stream := new(script).start().run("TestP").run("TestP/x").
		out("TestP/x", "    testing.go:1913: test executed panic(nil) or runtime.Goexit: subtest may have called FailNow on a parent test\n").
		end("fail", "TestP/x").end("fail", "TestP").completed("fail")
	got := parseStream(recorded, stream.String(), red)
	if !strings.Contains(strings.Join(got.log, "\n"), "note \"example.com/m: a subtest ended its parent") {
		t.Errorf("no note says what did not run: %v", got.log)
	}
	if got.suites[pkg] != sdk.SuiteAborted {
		t.Errorf("suite is %v: later subtests never ran", got.suites[pkg])
	}
	if f := got.failure(t, "TestP/x"); strings.Contains(f.Location.File, "testing.go") {
		t.Errorf("place is %v", f.Location)
	}
}

func TestAFailureSaysWhetherItIsReportedInFull(t *testing.T) {
	for name, c := range map[string]struct {
		output, lacks string
	}{
		"a message":            {"    a_test.go:17: bad\n", ""},
		"no message":           {"", sdk.NoMessage},
		"an empty message":     {"    a_test.go:17: \n", sdk.NoMessage},
		"a silent method":      {"\n----------\nFAIL: a_test.go:9: S.TestB\n\n\nOOPS: 0 passed, 1 FAILED\n", sdk.NoMessage},
		"only a log":           {"    a_test.go:12: logged\n", "[message]"},
		"many messages":        {strings.Repeat("    a_test.go:17: bad\n    a_test.go:17: worse\n", maxAlso), "[message]"},
		"as many as are told":  {strings.Repeat("    a_test.go:17: bad\n    a_test.go:17: worse\n", maxAlso/2) + "    a_test.go:17: bad\n", "[message]"},
		"a long message":       {"    a_test.go:17: bad\n" + strings.Repeat("        line\n", 1000), "[message]"},
		"a long further one":   {"    a_test.go:17: bad\n    a_test.go:17: worse\n" + strings.Repeat("        line\n", 500), "[message]"},
		"output that was lost": {"    a_test.go:17: bad\n" + strings.Repeat("printed by the test\n", 10_000), "[message]"},
	} {
		if f := runTestA(t, c.output).failure(t, "TestA"); f.Attributes[sdk.TruncatedAttribute] != c.lacks {
			t.Errorf("%s: %v, want %q", name, f.Attributes, c.lacks)
		}
	}
}

func TestMessagesThatAreLeftOutAreCounted(t *testing.T) {
	also := runTestA(t, strings.Repeat("    a_test.go:17: bad\n    a_test.go:17: worse\n", maxAlso)).failure(t, "TestA").Also
	if last := also[len(also)-1].Message; len(also) != maxAlso || last != "32 more messages" {
		t.Errorf("%d messages, the last is %q", len(also), last)
	}
}

func TestHugeMessagesAreClipped(t *testing.T) {
	f := runTestA(t, "    a_test.go:17: start"+strings.Repeat("é", 20_000)+"\n"+strings.Repeat("        line\n", 5000)+"        end\n").failure(t, "TestA")
	if len(f.Message) > maxMessage || !strings.HasPrefix(f.Message, "start") || !strings.HasSuffix(f.Message, "end") {
		t.Errorf("message of %d bytes starts %q", len(f.Message), f.Message[:20])
	}
	if lines := strings.Count(f.Output, "\n"); lines > maxExcerpt || !f.OutputTruncated {
		t.Errorf("excerpt has %d lines, truncated %v", lines, f.OutputTruncated)
	}
}
