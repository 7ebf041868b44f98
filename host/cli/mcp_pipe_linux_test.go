package cli

import (
	"os"
	"strings"
	"testing"
)

// stubborn is the body of a test that no polite signal ends.
const stubborn = `signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	os.WriteFile(os.Getenv("RAN_FILE"), []byte("a TestStubborn\n"), 0o600)
	select {}`

// family returns all processes below a server when a test has begun.
func (w *module) family(t *testing.T, server *os.Process, test string) []process {
	t.Helper()
	await(t, test, func() bool { return w.hasRun("a " + test) })
	below := descendants(server.Pid)
	if len(below) < 3 {
		t.Fatalf("expected the plugin, go and the test binary below the server, got %+v", below)
	}
	return below
}

func TestTheEndOfInputEndsServerAndTests(t *testing.T) {
	t.Parallel()
	for test, source := range map[string]string{
		"TestHangs":    tests("a", "TestBad", broken, "TestHangs", hang),
		"TestStubborn": strings.Replace(tests("a", "TestStubborn_", stubborn), "import (", "import (\n\t\"os/signal\"\n\t\"syscall\"", 1),
	} {
		t.Run(test, func(t *testing.T) {
			t.Parallel()
			w := newModule(t, files{"a/a_test.go": source})
			server := w.startRaw()
			// A call that waits for the end of the run is no reason to wait for it.
			server.send(rawCall(2, "run_tests", `{}`), rawCall(3, "get_run", `{"wait":1800}`))
			below := w.family(t, server.cmd.Process, test)
			server.stdin.Close()
			server.ended()
			await(t, "the end of every process below the server", func() bool { return len(left(below)) == 0 })
		})
	}
}

func TestAKilledServerLeavesNoProcesses(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestHangs", hang)})
	server := w.startRaw()
	server.send(rawCall(2, "run_tests", `{}`))
	below := w.family(t, server.cmd.Process, "TestHangs")
	server.cmd.Process.Kill()
	server.ended()
	await(t, "the end of every process below the server", func() bool { return len(left(below)) == 0 })
	// The next one finds the run, and the workspace free.
	next := w.connect("")
	if a := next.call(t, "run_tests", `{"filter":"TestNone"}`); a.object.RunID == "" || a.object.Status == "queued" {
		t.Errorf("%+v", a)
	}
}
