package parse

import (
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// rehearsingProject returns a project whose tests call testing.RunTests.
func rehearsingProject(t *testing.T) sdk.RunInfo {
	return newProject(t, map[string]string{
		"a_test.go": "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\ttesting.RunTests(nil, nil)\n}\n",
		// Not every stream contains it, because not every build does.
		"b_test.go": "//go:build unix || windows\n\npackage m\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {\n\tt.Run(\"sub\", func(t *testing.T) {})\n}\n",
	})
}

// reds returns the tests that the run reports as failed, and those for which it reports
// only a failure.
func (s *seen) reds() string {
	var names []string
	for _, r := range s.tests {
		if r.Status == sdk.Failed {
			names = append(names, r.Test)
		}
	}
	for _, f := range s.failures {
		if !slices.Contains(names, f.Test) {
			names = append(names, f.Test)
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}

func TestARehearsedFailureDoesNotCount(t *testing.T) {
	t.Parallel()
	const said = "    a_test.go:6: as it should\n"
	inner := func(s *script, name string) *script { return s.run(name).out(name, said).end("fail", name) }
	for _, tt := range []struct {
		name   string
		stream *script
		// end is how the package ends, and red what failed in it.
		end, red string
		outcome  sdk.SuiteOutcome
	}{
		{"of its own name", inner(new(script).start().run("TestA"), "TestA/in").end("pass", "TestA"), "pass", "", sdk.SuitePassed},
		{"a part of a part", inner(new(script).start().run("TestA").run("TestA/in"), "TestA/in/case").end("fail", "TestA/in").end("pass", "TestA"), "pass", "", sdk.SuitePassed},
		{"of another name", inner(new(script).start().run("TestA").run("some name"), "some name/case").end("fail", "some name").end("pass", "TestA"), "pass", "", sdk.SuitePassed},
		{"in a subtest", inner(new(script).start().run("TestA").run("TestA/sub"), "other").end("pass", "TestA/sub").end("pass", "TestA"), "pass", "", sdk.SuitePassed},
		{"and the one that ran it failed", inner(new(script).start().run("TestA"), "TestA/in").out("TestA", said).end("fail", "TestA"), "fail", "TestA TestA/in", sdk.SuiteFailed},
		{"and the one that ran it was skipped", inner(new(script).start().run("TestA"), "TestA/in").end("skip", "TestA"), "pass", "TestA/in", sdk.SuiteFailed},
		{"and the one that ran it has no end", inner(new(script).start().run("TestA"), "TestA/in"), "fail", "TestA TestA/in", sdk.SuiteAborted},
		{"beside a failure", inner(inner(new(script).start().run("TestA"), "TestA/in").end("pass", "TestA").run("TestB"), "TestB/sub").end("fail", "TestB"), "fail", "TestB TestB/sub", sdk.SuiteFailed},
		{"a test after another", inner(new(script).start().run("TestA").end("pass", "TestA"), "TestB"), "pass", "TestB", sdk.SuiteFailed},
		{"a test beside one that waits", inner(new(script).start().run("TestA").pause("TestA"), "TestB").cont("TestA").end("pass", "TestA"), "fail", "TestB", sdk.SuiteFailed},
		{"in one of two that run", inner(new(script).start().run("TestA").pause("TestA").run("TestB").pause("TestB").cont("TestA").cont("TestB"), "other").end("pass", "TestA").end("pass", "TestB"), "pass", "other", sdk.SuiteFailed},
		{"in an attempt that passed after one that failed", inner(inner(new(script).start().run("TestA"), "TestA/in").out("TestA", said).end("fail", "TestA").run("TestA"), "TestA/in").end("pass", "TestA"), "fail", "TestA TestA/in", sdk.SuiteFailed},
		{"of a test that had failed by itself", inner(inner(new(script).start(), "TestB").run("TestA"), "TestB").end("pass", "TestA"), "fail", "TestB", sdk.SuiteFailed},
		{"in a second attempt, beside a part that passed", inner(new(script).start().run("TestA").end("pass", "TestA").run("TestA"), "TestA/in").run("TestA/ok").end("pass", "TestA/ok").end("fail", "TestA"), "fail", "TestA TestA/in", sdk.SuiteFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := parseStream(rehearsingProject(t), tt.stream.completed(tt.end).String(), sdk.Exit{Unknown: true})
			if reds := got.reds(); reds != tt.red || got.suites[pkg] != tt.outcome {
				t.Errorf("red: %q, want %q; the suite: %v, want %v\n%s", reds, tt.red, got.suites[pkg], tt.outcome, strings.Join(got.log, "\n"))
			}
			noted := strings.Contains(strings.Join(got.log, "\n"), "with testing.RunTests")
			if rehearsed := tt.red == "" || tt.name == "beside a failure"; noted != rehearsed {
				t.Errorf("a note: %v, want %v", noted, rehearsed)
			}
		})
	}
}

// A rehearsed test still has its own result.
func TestATestPassesAfterItsRehearsal(t *testing.T) {
	t.Parallel()
	stream := new(script).start().run("TestA").run("TestB").end("fail", "TestB").end("pass", "TestA").run("TestB").end("pass", "TestB").completed("pass").String()
	got := parseStream(rehearsingProject(t), stream, sdk.Exit{})
	passed := 0
	for _, r := range got.tests {
		if r.Status == sdk.Passed {
			passed++
		}
	}
	if passed != 2 || got.reds() != "" || got.suites[pkg] != sdk.SuitePassed {
		t.Errorf("%d passed, red is %q, the suite %v\n%s", passed, got.reds(), got.suites[pkg], strings.Join(got.log, "\n"))
	}
}

// If no test file runs tests, or the source is unknown, a failure is a failure.
func TestAFailureInsideAPassCountsIfNothingRehearses(t *testing.T) {
	t.Parallel()
	stream := new(script).start().run("TestB").run("TestB/sub").end("fail", "TestB/sub").end("pass", "TestB").completed("pass").String()
	plain := newProject(t, map[string]string{"a_test.go": "package m\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {}\n"})
	for name, run := range map[string]sdk.RunInfo{"sources without": plain, "no sources": recorded} {
		if got := parseStream(run, stream, sdk.Exit{}); got.reds() != "TestB/sub" || got.suites[pkg] != sdk.SuiteFailed {
			t.Errorf("%s: red is %q, the suite %v", name, got.reds(), got.suites[pkg])
		}
	}
}
