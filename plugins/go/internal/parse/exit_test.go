package parse

import (
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// parseRefusal returns a run in which the go command only wrote to standard error.
func parseRefusal(run sdk.RunInfo, stderr string, exit sdk.Exit) *seen {
	sink := &seen{}
	p := New(Config{Run: run}, sink)
	p.Write(sdk.Stderr, []byte(stderr))
	p.Close(exit)
	return sink
}

func TestARunThatCouldNotStartIsARunError(t *testing.T) {
	for _, tt := range []struct {
		name, stderr, file, message string
		line                        int
	}{
		{"broken go.mod", "go: errors parsing go.mod:\ngo.mod:5: unknown directive: requirre\n", "go.mod", "unknown directive: requirre", 5},
		{"newer Go", "go: go.mod requires go >= 1.99 (running go 1.26.8; GOTOOLCHAIN=local)\n", "", "go: go.mod requires go >= 1.99 (running go 1.26.8; GOTOOLCHAIN=local)", 0},
		{"downloads are no reason", "go: downloading example.com/x v1.0.0\nno Go files in /x\n", "", "no Go files in /x", 0},
		{"nothing said", "", "", "go test failed without saying why", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := parseRefusal(newProject(t, nil), tt.stderr, red)
			f := got.failure(t, "")
			if f.TestID != (sdk.TestID{}) || f.Kind != sdk.KindSetup || f.Message != tt.message || f.Location.File != tt.file || f.Location.Line != tt.line {
				t.Errorf("failure is %+v", f)
			}
			if len(got.errors) != 1 {
				t.Errorf("run errors are %q", got.errors)
			}
		})
	}
}

// Before Go 1.24 the go command gives up if a single package cannot be loaded.
func TestAPackageThatCannotBeLoadedIsItsFailure(t *testing.T) {
	for _, tt := range []struct {
		name, stderr, suite, file string
		line                      int
		blocks                    []string
	}{
		{"embed", "sub/a.go:5:12: pattern nothing.txt: no matching files found\n", pkg + "/sub", "sub/a.go", 5, nil},
		{"cycle", "package example.com/m/sub\n\timports example.com/m/b\n\timports example.com/m/sub: import cycle not allowed\n", pkg + "/sub", "sub/a.go", 3, []string{pkg + "/b"}},
		{"constraints", "package example.com/m/sub: build constraints exclude all Go files in /x\n", pkg + "/sub", "", 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := parseRefusal(newProject(t, map[string]string{"sub/a.go": "package sub\n\nimport _ \"example.com/m/b\"\n"}), tt.stderr, red)
			f := got.failure(t, "")
			if f.Suite != tt.suite || f.Location.File != tt.file || f.Location.Line != tt.line || !slices.Equal(f.Blocks, tt.blocks) {
				t.Errorf("failure is %+v", f)
			}
			if got.suites[tt.suite] != sdk.SuiteBuildFailed || len(got.errors) != 0 {
				t.Errorf("suites %v, run errors %q", got.suites, got.errors)
			}
		})
	}
}

func TestAnUnknownExitIsNotRedByItself(t *testing.T) {
	if got := parseRefusal(recorded, "", sdk.Exit{Unknown: true}); len(got.log) != 0 {
		t.Errorf("got %v", got.log)
	}
	if got := parseRefusal(recorded, "go: go.mod file not found\n", sdk.Exit{Unknown: true}); len(got.errors) != 1 || len(got.failures) != 1 {
		t.Errorf("an error that is all there is: got %v", got.log)
	}
	passed := new(script).start().run("TestA").end("pass", "TestA").completed("pass").String()
	if got := parseStream(recorded, passed, sdk.Exit{Unknown: true}); len(got.failures)+len(got.errors) != 0 {
		t.Errorf("a passing recording: got %v", got.log)
	}
}

func TestARedExitIsAlwaysExplained(t *testing.T) {
	passed := new(script).start().run("TestA").end("pass", "TestA").completed("pass").String()
	for name, exit := range map[string]sdk.Exit{
		"code": red, "signal": {Code: -1, Signal: "SIGKILL"}, "time-out": {Code: -1, TimedOut: true},
	} {
		for stream, text := range map[string]string{"nothing": "", "a pass": passed, "foreign text": "make: something\n"} {
			got := parseStream(recorded, text, exit)
			// If everything passed and the exit code is red, it is up to the host to say
			// so.
			want := name != "code" || stream != "a pass"
			if (len(got.failures) > 0) != want || (len(got.errors) > 0) && !want {
				t.Errorf("%s after %s: failures %v, run errors %v", name, stream, got.failures, got.errors)
			}
		}
	}
	if got := parseStream(recorded, passed, sdk.Exit{Code: -1, Cancelled: true}); len(got.failures) != 0 {
		t.Errorf("the user's own giving up is a failure: %v", got.log)
	}
}

func TestUnreadOutput(t *testing.T) {
	whole := strings.TrimSuffix(new(script).start().run("TestA").end("pass", "TestA").completed("pass").String(), "\n")
	lines := strings.Split(whole, "\n")
	for _, tt := range []struct {
		name             string
		stream           string
		foreign, damaged int64
	}{
		{"nothing", whole + "\n", 0, 0},
		{"foreign line", "make: hello\n" + whole, 12, 0},
		{"empty lines", "\n\r\n" + whole, 0, 0},
		{"foreign text in front of an event", "hello " + whole, 6, 0},
		{"two events in one line", lines[0] + strings.Join(lines[1:], "\n"), 0, 0},
		{"cut event", whole + "\n" + `{"Time":"2026-11-21T10:48:45Z","Act`, 0, 35},
		{"cut in the first key", whole + "\n" + `{"Ti`, 0, 4},
		{"cut event in front of a whole one", `{"Action":"run","Pack` + whole, 0, 21},
		{"end of an event", `"Output":"x\n"}` + "\n" + whole, 0, 16},
		{"other JSON", `{"level":"info"}` + "\n" + whole, 17, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := parseStream(recorded, tt.stream, sdk.Exit{})
			var foreign, damaged int64
			for _, u := range got.unread {
				if u.Damaged {
					damaged += u.Bytes
				} else {
					foreign += u.Bytes
				}
				if u.Sample == "" {
					t.Error("no sample")
				}
			}
			if foreign != tt.foreign || damaged != tt.damaged {
				t.Errorf("foreign %d, damaged %d bytes; want %d, %d", foreign, damaged, tt.foreign, tt.damaged)
			}
			if got.suites[pkg] != sdk.SuitePassed || got.status("TestA") != sdk.Passed {
				t.Errorf("results are lost: %v", got.log)
			}
		})
	}
}
