package testexec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/proctorhq/proctor/plugins/go/internal/oscalls"
	"github.com/proctorhq/proctor/plugins/go/internal/testlog"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// coverDirVariable is where instrumented programs leave what they executed. The go
	// command sets it for tests, and each run has its own.
	coverDirVariable = "GOCOVERDIR"
	// leastLimit is the least time limit of a test, and timesTogether how many times
	// longer it may take alone than together.
	leastLimit    = 10 * time.Second
	timesTogether = 10
	// killAfter is how long a test binary may take to end after its time is up.
	killAfter = 5 * time.Second
	// outputDelay is how long to wait for output after a test binary ended, from
	// programs that it left behind; the go command waits as long.
	outputDelay = 5 * time.Second
	// maxText is how much is kept of the output of a run.
	maxText = 4 << 20
)

// errInterrupted ends a measurement that somebody interrupted.
var errInterrupted = errors.New("a signal ended the measuring")

// ran is what a run of a test binary showed.
type ran struct {
	// err is why it did not start; nothing else is set then.
	err   error
	ended *os.ProcessState
	took  time.Duration
	// timedOut reports whether it was killed for exceeding limit.
	timedOut bool
	limit    time.Duration
	output   *testOutput
	text     []byte
	// covered reports whether it left a complete profile; executed are its blocks.
	covered  bool
	executed sdk.BlockSet
	// calls are those that the log does not fully describe.
	calls map[oscalls.Call]bool
	// why says why it is not covered.
	why string
	// logged reports whether it left a log of what it looked at, and early whether that
	// begins with its process.
	logged, early bool
	depends       testlog.Dependence
	// drew reports whether it hashed its own file, and depends is without that.
	drew bool
}

// limit returns how long a run may take that took this long together with others: not
// longer than all of them may.
func (m *measurement) limit(together time.Duration) time.Duration {
	limit := max(timesTogether*together, leastLimit)
	if m.timeout > 0 {
		return min(limit, m.timeout)
	}
	return limit
}

// startLimit returns how long the binary may take without a test. If the tests hang,
// what they took says nothing about it.
func (m *measurement) startLimit(together ran) time.Duration {
	if together.timedOut {
		return m.limit(0)
	}
	return m.limit(together.took)
}

// runAgain runs the binary once more, discarding its output.
func (m *measurement) runAgain(flags []string, limit time.Duration) (ran, error) {
	select {
	case <-m.signals:
		return ran{}, errInterrupted
	default:
	}
	r := m.run(flags, max(m.clock.left(limit), time.Millisecond), nil)
	select {
	case <-m.signals:
		return ran{}, errInterrupted
	default:
	}
	return r, r.err
}

// run runs the binary, for a time or, if that is 0, to its end. Without an out it has
// no input either.
func (m *measurement) run(flags []string, limit time.Duration, out io.Writer) ran {
	dir := filepath.Join(m.work, "run")
	coverDir, profilePath := filepath.Join(dir, "counters"), filepath.Join(dir, "profile")
	logPath, earlyPath := filepath.Join(dir, "log"), filepath.Join(dir, "early")
	if err := os.MkdirAll(coverDir, 0o700); err != nil {
		return ran{err: err}
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(context.Background())
	if limit > 0 {
		ctx, cancel = context.WithTimeout(context.Background(), limit+killAfter)
	}
	defer cancel()
	argv := m.binary.argv(append(append(flags, "-test.timeout="+limit.String(), "-test.testlogfile="+logPath), m.coverFlags(coverDir, profilePath)...)...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = m.process.Dir, append(m.env[:len(m.env):len(m.env)], coverDirVariable+"="+coverDir), outputDelay
	if m.early {
		cmd.Env = append(cmd.Env, testlog.EarlyVariable+"="+earlyPath)
	}
	r := ran{output: &testOutput{marked: m.binary.marked}}
	text := &headBuffer{}
	if out != nil {
		cmd.Stdin = m.process.Stdin
		cmd.Stdout = io.MultiWriter(out, r.output)
	} else {
		cmd.Stdout = io.MultiWriter(text, r.output)
	}
	cmd.Stderr = cmd.Stdout
	began := time.Now()
	ended, err := superviseChild(cmd)
	r.took = time.Since(began)
	if r.ended = ended; ended == nil {
		r.ended = cmd.ProcessState
	}
	if r.ended == nil {
		return ran{err: err}
	}
	r.text = text.bytes
	r.limit, r.timedOut = limit, limit > 0 && r.took >= limit
	if m.counters != nil {
		r.executed, r.why = m.counters.read(coverDir, r.ended)
	} else {
		r.executed, r.why = m.readProfile(profilePath, r.ended)
	}
	r.covered = r.why == ""
	switch {
	case m.counters != nil:
		if err := m.counters.clear(); err != nil {
			return ran{err: err} // the next run would seem to have executed this, too
		}
	case r.covered && !m.learned:
		m.learnCounters(coverDir, r.executed)
	}
	r.calls = m.unseen.calls(&m.blocks, r.executed)
	r.logged, r.early = m.readLogs(&r.depends, logPath, earlyPath)
	if m.draws && r.early && r.depends.Self > 0 {
		r.drew = true
		r.depends.Self--
		// It finds its own file by a link. Others that a test of this program reads do not
		// show; a link that changes selects every test.
		delete(r.calls, oscalls.ReadLink)
	}
	return r
}

// coverFlags has a run leave what it executes.
func (m *measurement) coverFlags(coverDir, profilePath string) []string {
	if m.counters != nil {
		return []string{"-test.gocoverdir=" + m.counters.dir}
	}
	return []string{"-test.coverprofile=" + profilePath, "-test.gocoverdir=" + coverDir}
}

// hungTests names the tests that were running when a run's time was up, or "" if it ended.
func (r ran) hungTests() string {
	const most = 3
	if !r.timedOut {
		return ""
	}
	var running []string
	for _, name := range r.output.names {
		if r.output.status(name) == sdk.Unfinished {
			running = append(running, name)
		}
	}
	who := strings.Join(running[:min(len(running), most)], ", ")
	switch more := len(running) - most; {
	case len(running) == 0:
		who = "the test binary"
	case more > 0:
		who += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s did not end within %s", who, roundTime(r.limit))
}

// readProfile reads which blocks a run executed, or says why that is unknown.
func (m *measurement) readProfile(path string, ended *os.ProcessState) (executed sdk.BlockSet, why string) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Sprintf("no coverage profile was left: %s", ended)
	}
	defer file.Close()
	if executed, err = m.blocks.Read(file); err != nil {
		return executed, err.Error()
	}
	return executed, ""
}

// readLogs reads what a run looked at from the log of package testing, and from the one of what
// was before it, if there is one.
func (m *measurement) readLogs(depends *testlog.Dependence, path, earlyPath string) (logged, early bool) {
	file, err := os.Open(path)
	if err != nil {
		return false, false
	}
	defer file.Close()
	var log io.Reader = file
	if before, err := os.ReadFile(earlyPath); err == nil && testlog.IsComplete(before) {
		log, early = io.MultiReader(bytes.NewReader(before), file), true
	}
	*depends, err = testlog.Depend(log, m.place)
	return err == nil, early
}

// headBuffer keeps the beginning of what is written.
type headBuffer struct{ bytes []byte }

// Write implements [io.Writer]; it never fails.
func (h *headBuffer) Write(data []byte) (int, error) {
	h.bytes = append(h.bytes, data[:min(len(data), maxText-len(h.bytes))]...)
	return len(data), nil
}
