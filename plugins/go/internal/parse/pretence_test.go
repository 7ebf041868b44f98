package parse

import (
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// A test that prints the framing of package testing puts its words into the mouth of
// another. That one is not to blame, and nothing red gets lost.
func TestALineThatLooksLikeTheRunnersBlamesNobodyElse(t *testing.T) {
	passed := func() *script { return new(script).start().run("TestA").end("pass", "TestA").run("TestB") }
	for _, tt := range []struct {
		name   string
		stream *script
		blamed string
	}{
		{"a name", passed().out("TestA", "=== NAME  TestA\n    a_test.go:4: real\n").end("fail", "TestB").completed("fail"), "TestB"},
		{"a start", passed().run("TestA").out("TestA", "    a_test.go:4: real\n").end("fail", "TestB").completed("fail"), "TestB"},
		{"a pause", passed().pause("TestA").out("TestA", "    a_test.go:4: real\n").end("fail", "TestB").completed("fail"), "TestB"},
		{"and then it dies", passed().out("TestA", "=== NAME  TestA\n"+panicked("real", m("TestB", 4))).died("fail"), "TestB"},
		{"and then it exits", passed().out("TestA", "=== NAME  TestA\nreal\n").died("fail"), "TestB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := parse(recorded, tt.stream.String(), red)
			got.failure(t, tt.blamed)
			for _, r := range got.tests {
				if r.Test == "TestA" && r.Status != sdk.Passed {
					t.Errorf("TestA is %v", r.Status)
				}
			}
			if len(got.failures) != 1 {
				t.Errorf("failures are %+v", got.failures)
			}
		})
	}
}

// An end is believed all the same, and so is the last word of package testing only when
// no test runs any more.
func TestWhatLooksLikeTheRunnersHidesNothing(t *testing.T) {
	ended := parse(recorded, new(script).start().run("TestA").end("pass", "TestA").run("TestB").end("fail", "TestA").end("pass", "TestB").completed("pass").String(), sdk.Exit{})
	if ended.suites[pkg] == sdk.SuitePassed {
		t.Error("an end that says fail is lost")
	}
	early := parse(recorded, new(script).start().run("TestA").run("TestA/x").out("TestA/x", "    a_test.go:5: bad\n").out("", "PASS\n").
		end("fail", "TestA/x").out("TestA", panicked("boom", m("TestA.func1", 5))).ended("fail", "TestA").died("fail").String(), red)
	for _, r := range early.tests {
		if r.Test == "TestA" && r.Ended {
			t.Error("a test that prints PASS and dies is taken for one that ended")
		}
	}
	if early.suites[pkg] == sdk.SuitePassed || early.suites[pkg] == sdk.SuiteNoTests {
		t.Errorf("the suite is %v", early.suites[pkg])
	}
}
