package parse

import (
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// A test that failed by a subtest has ended where something shows that its other
// subtests had their turn. Its own "fail" event does not.
func TestATestThatItsPartFailedHasEndedOnlyWithProof(t *testing.T) {
	failed := func() *script {
		return new(script).start().run("TestA").run("TestA/x").out("TestA/x", "    a_test.go:5: bad\n").end("fail", "TestA/x").end("fail", "TestA")
	}
	died := "--- FAIL: TestA (0.00s)\n" + panicked("boom", m("TestA.func1", 5))
	failfast := recorded
	failfast.Command.Argv = []string{"go", "test", "-json", "-failfast", "./..."}
	for _, tt := range []struct {
		name   string
		run    sdk.RunInfo
		stream *script
		ended  bool
	}{
		{"every test had its turn", recorded, failed().completed("fail"), true},
		{"another started after it and died", recorded, failed().run("TestB").out("TestB", panicked("boom", m("TestB", 5))).ended("fail", "TestB").died("fail"), true},
		{"the process died in the part", recorded, new(script).start().run("TestA").run("TestA/x").end("fail", "TestA/x").out("TestA", died).ended("fail", "TestA").died("fail"), false},
		{"and printed no stacks", recorded, failed().died("fail"), false},
		{"the stream ends with it", recorded, failed(), false},
		{"others run beside it", recorded, new(script).start().run("TestA").pause("TestA").run("TestB").pause("TestB").cont("TestA").cont("TestB").
			run("TestA/x").end("fail", "TestA/x").end("fail", "TestA").out("TestB", panicked("boom", m("TestA.func1", 5))).died("fail"), false},
		{"the part ended the test around it", recorded, new(script).start().run("TestA").run("TestA/x").
			out("TestA/x", "    testing.go:1712: test executed panic(nil) or runtime.Goexit: subtest may have called FailNow on a parent test\n").
			end("fail", "TestA/x").end("fail", "TestA").run("TestB").end("pass", "TestB").completed("fail"), false},
		{"-failfast", failfast, failed().completed("fail"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range parse(tt.run, tt.stream.String(), red).tests {
				if r.Test == "TestA" && r.Ended != tt.ended {
					t.Errorf("ended is %v, derived %v", r.Ended, r.Derived)
				}
			}
		})
	}
}

// A test that looks at how its parts end may have parts that nobody heard of.
func TestATestThatHeedsItsPartsIsUnfinishedWhenOneFails(t *testing.T) {
	stream := new(script).start().run("TestA").run("TestA/x").run("TestA/x/y").out("TestA/x/y", "    a_test.go:5: bad\n").
		end("fail", "TestA/x/y").end("fail", "TestA/x").end("fail", "TestA").completed("fail").String()
	const heeding = "package m\n\nfunc steps(t *testing.T) { if t.Failed() { return } }\n\nfunc (s *S) TestX() { if !s.Run(\"y\", f) { return } }\n"
	for name, tt := range map[string]struct {
		body string
		want sdk.Status
	}{
		"itself":                {`if !t.Run("x", f) { return }`, sdk.Unfinished},
		"a part":                {`t.Run("x", func(t *testing.T) { if !t.Run("y", f) { return } })`, sdk.Unfinished},
		"a helper in a file":    {`t.Run("x", f); steps(t)`, sdk.Unfinished},
		"a method of its suite": {`suite.Run(t, new(S))`, sdk.Unfinished},
		"a helper elsewhere":    {`help.Steps(t, f)`, sdk.Unfinished},
		"one behind another":    {`help.Through(t, f)`, sdk.Unfinished},
		"one beside the tests":  {`beside(t, f)`, sdk.Unfinished},
		"what is no test":       {`t.Run("x", f); help.Tool()`, sdk.Failed},
		"nothing":               {`t.Run("x", f); t.Run("z", f)`, sdk.Failed},
		"unreadable":            {`if !t.Run("x", f) {`, sdk.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			run := project(t, map[string]string{
				"a_test.go": "package m\n\nimport \"example.com/m/help\"\n\nfunc TestA(t *testing.T) { " + tt.body + " }\n", "b_test.go": heeding,
				"beside.go":         "package m\n\nimport \"testing\"\n\nfunc beside(t *testing.T, f func(*testing.T)) { if t.Run(\"x\", f) { t.Run(\"z\", f) } }\n",
				"help/help.go":      "package help\n\nimport (\n\"testing\"\n\"example.com/m/help/more\"\n)\n\nfunc Steps(t *testing.T, f func(*testing.T)) { if t.Run(\"x\", f) { t.Run(\"z\", f) } }\n\nfunc Through(t *testing.T, f func(*testing.T)) { more.Deep(t, f) }\n",
				"help/more/more.go": "package more\n\nimport \"testing\"\n\nfunc Deep(t *testing.T, f func(*testing.T)) { _ = t.Run(\"x\", f) && t.Run(\"z\", f) }\n",
				"help/tool.go":      "package help\n\nfunc Tool() { if err := app.Run(ctx, nil); err != nil { return } }\n",
			})
			for _, r := range parse(run, stream, red).tests {
				want := sdk.Failed
				if r.Test == "TestA" {
					want = tt.want
				}
				if r.Status != want || want == sdk.Unfinished && (r.Derived || r.Ended || !r.Container) {
					t.Errorf("%s: %+v, want %v", r.Test, r, want)
				}
			}
		})
	}
}

// With -failfast no subtest starts after a failure, and a test that would have started
// some passes.
func TestAPassBesideAFailureProvesLittleWithFailfast(t *testing.T) {
	stream := new(script).start().run("TestBefore").end("pass", "TestBefore").
		run("TestA").pause("TestA").run("TestB").pause("TestB").run("TestC").pause("TestC").
		cont("TestC").end("pass", "TestC").cont("TestA").cont("TestB").end("fail", "TestB").end("pass", "TestA").completed("fail").String()
	run := recorded
	run.Command.Argv = []string{"go", "test", "-json", "-failfast", "./..."}
	unfinished := map[string]bool{}
	for _, r := range parse(run, stream, red).tests {
		unfinished[r.Test] = unfinished[r.Test] || r.Status == sdk.Unfinished
	}
	if !unfinished["TestA"] || unfinished["TestBefore"] || unfinished["TestC"] {
		t.Errorf("unfinished are %v, want TestA, which ran beside TestB", unfinished)
	}
	for _, r := range parse(recorded, stream, red).tests {
		if r.Status == sdk.Unfinished {
			t.Errorf("without -failfast %s is unfinished", r.Test)
		}
	}
}
