package parse

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

var allPassed = new(script).start().run("TestA").end("pass", "TestA").completed("pass").String()

func TestRedLinesPreventGreenIfTheExitCodeIsUnknown(t *testing.T) {
	for line, red := range map[string]bool{
		"--- FAIL: TestX (0.00s)": true, "    --- FAIL: TestX/y (0.00s)": true, "FAIL": true, "FAIL\texample.com/m/z\t0.1s": true,
		"panic: boom": true, "exit status 1": true, "signal: killed": true, "make: *** [test] Error 1": true, "make[2]: *** [x] Error 1": true,
		"FAIL\r": true, "exit status 0": false, "make: Nothing to be done": false, "make[2]: Leaving": false, "hello": false, "FAILING is no word": false,
		"go: downloading x": false,
	} {
		t.Run(line, func(t *testing.T) {
			for _, stream := range []sdk.Stream{sdk.Stdout, sdk.Stderr} {
				for _, exit := range []sdk.Exit{{Unknown: true}, {}} {
					for _, end := range []string{"\n", ""} {
						sink := &seen{}
						p := New(Config{Run: recorded}, sink)
						p.Write(sdk.Stdout, []byte(allPassed))
						p.Write(stream, []byte(line+end))
						p.Close(exit)
						damaged := int64(0)
						for _, u := range sink.unread {
							if u.Damaged {
								damaged += u.Bytes
							}
						}
						cut := end == "" && stream == sdk.Stdout
						if (damaged > 0) != ((red || cut) && exit.Unknown) {
							t.Errorf("stream %v, %+v, end %q: damaged bytes are %d", stream, exit, end, damaged)
						}
					}
				}
			}
		})
	}
}

func TestRedLinesAreNoDamageInARedRun(t *testing.T) {
	failing := new(script).start().run("TestA").out("TestA", "    a_test.go:5: bad\n").end("fail", "TestA").completed("fail").String()
	got := parseStream(recorded, failing+"make: *** [test] Error 1\n", sdk.Exit{Unknown: true})
	if len(got.unread) != 1 || got.unread[0].Damaged {
		t.Errorf("unread is %+v", got.unread)
	}
}

func TestBuildErrorsPreventGreenIfTheExitCodeIsUnknown(t *testing.T) {
	const failed = "# example.com/m/z\nz/z.go:3:1: syntax error: unexpected x\n"
	for _, tt := range []struct {
		name, text string
		stream     sdk.Stream
		failures   int
	}{
		{"standard error", failed, sdk.Stderr, 1},
		{"one stream for both", failed, sdk.Stdout, 1},
		{"with the last word", failed + "FAIL\texample.com/m/z [build failed]\n", sdk.Stderr, 1},
		{"with the last word, one stream", failed + "FAIL\texample.com/m/z [build failed]\n", sdk.Stdout, 1},
		{"a warning", "# example.com/m/z\nz/z.c:3:1: warning: unused x\nz/z.c:3:1: note: here\n", sdk.Stderr, 0},
		{"the linker's warning", "# example.com/m/z.test\nld: warning: x.o: missing .note.GNU-stack section\n", sdk.Stderr, 0},
		{"about a package that was tested", "# " + pkg + "\na.go:3:1: it says\n", sdk.Stderr, 0},
		{"no header", "z/z.go:3:1: says a linter\n", sdk.Stdout, 0},
		{"a comment", "# all of them\nz/z.go:3:1: says a linter\n", sdk.Stdout, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sink := &seen{}
			p := New(Config{Run: recorded}, sink)
			p.Write(sdk.Stdout, []byte(allPassed))
			p.Write(tt.stream, []byte(tt.text))
			p.Close(sdk.Exit{Unknown: true})
			if len(sink.failures) != tt.failures {
				t.Fatalf("failures are %+v", sink.failures)
			}
			for _, f := range sink.failures {
				if f.Kind != sdk.KindBuild || f.Suite != pkg+"/z" || f.Location.Line != 3 || sink.suites[pkg+"/z"] != sdk.SuiteBuildFailed {
					t.Errorf("failure is %+v, suites are %v", f, sink.suites)
				}
			}
		})
	}
	// With a known exit code of 0, the go command knows better.
	if got := parseStream(recorded, allPassed+failed, sdk.Exit{}); len(got.failures) != 0 {
		t.Errorf("failures are %+v", got.failures)
	}
}

func TestAPackageThatWasNotBuiltIsReportedOnce(t *testing.T) {
	const last = "FAIL\texample.com/m/z [build failed]\n"
	for name, streams := range map[string][]sdk.Stream{"standard error": {sdk.Stderr}, "both": {sdk.Stdout, sdk.Stderr}} {
		sink := &seen{}
		p := New(Config{Run: recorded}, sink)
		p.Write(sdk.Stdout, []byte(allPassed))
		for _, stream := range streams {
			p.Write(stream, []byte(last))
		}
		p.Close(sdk.Exit{Unknown: true})
		ends := 0
		for _, l := range sink.log {
			if strings.HasPrefix(l, "suite {Suite:"+pkg+"/z ") {
				ends++
			}
		}
		if ends != 1 || len(sink.failures) != 1 {
			t.Errorf("%s: %v", name, sink.log)
		}
	}
}

func TestATimeoutSaysWhetherTestsHadRun(t *testing.T) {
	for stream, want := range map[string]string{
		"":                           "go was still building; the next run reuses what has been built",
		new(script).start().String(): "before a test was running",
		allPassed:                    "while no test was running",
	} {
		if f := parseStream(recorded, stream, sdk.Exit{Code: -1, TimedOut: true}).failure(t, ""); !strings.HasSuffix(f.Message, want) {
			t.Errorf("message is %q", f.Message)
		}
	}
}

func TestAPatternWithoutPackagesIsNotedOnce(t *testing.T) {
	const warning = `go: warning: "./empty/..." matched no packages` + "\n"
	sink := &seen{}
	p := New(Config{Run: recorded}, sink)
	p.Write(sdk.Stderr, []byte(warning+warning))
	p.Write(sdk.Stdout, []byte(allPassed))
	p.Close(red)
	notes := 0
	for _, l := range sink.log {
		if l == `note "\"./empty/...\" matched no packages"` {
			notes++
		}
	}
	if notes != 1 || len(sink.failures) != 0 || len(sink.errors) != 0 {
		t.Errorf("the note is missing, repeated, or beside a failure: %v", sink.log)
	}
}
