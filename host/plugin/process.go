package plugin

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/proctorhq/proctor/host/procgroup"
)

// A process left behind may hold a plugin's pipes open forever, so we wait a bounded time
// for the rest of the output. It is split into rounds because on a very busy machine we may
// not get to run during one, and the last words of a crash must not be lost.
const (
	drainRounds = 6
	drainRound  = 50 * time.Millisecond
)

// lastWordsLimit is how long a plugin with a bad greeting may continue: if it is about
// to end by itself, its output explains the greeting.
const lastWordsLimit = 100 * time.Millisecond

// process is one run of a plugin binary. go-plugin uses it as its runner: by itself,
// go-plugin would give the plugin our standard input and our environment, and could
// block forever when stopping it.
type process struct {
	candidate Candidate
	dir       *runDir
	journal   *journal
	// prepared is the group that it starts in.
	prepared *procgroup.Prepared
	// go-plugin sets env before Start.
	env []string

	pipes pipes
	// greetingOut gives go-plugin the handshake line and nothing else.
	greetingOut *io.PipeReader
	greetingIn  *io.PipeWriter
	readers     sync.WaitGroup

	mu sync.Mutex
	// group is nil before the start.
	group *procgroup.Process
	// killed reports whether we ended it, so that its exit means nothing.
	killed  bool
	refused *badGreeting
	greeted bool

	// ended is closed once exit is set and the output was read.
	ended chan struct{}
	exit  ExitStatus
}

func newProcess(candidate Candidate, dir *runDir, journal *journal, prepared *procgroup.Prepared) *process {
	p := &process{candidate: candidate, dir: dir, journal: journal, prepared: prepared, ended: make(chan struct{})}
	p.greetingOut, p.greetingIn = io.Pipe()
	return p
}

// Start starts the process and the readers of its output.
func (p *process) Start(ctx context.Context) error {
	pipes, err := openPipes()
	if err != nil {
		return err
	}
	defer pipes.closeChild()
	group, err := procgroup.Start(ctx, procgroup.Config{
		Path:   p.candidate.Path,
		Dir:    p.dir.work,
		Env:    p.env,
		Stdin:  pipes.childIn,
		Stdout: pipes.childOut,
		Stderr: pipes.childErr,
		Group:  p.prepared,
	})
	if err != nil {
		pipes.closeHost()
		return err
	}
	p.pipes = pipes
	p.mu.Lock()
	p.group = group
	killed := p.killed
	p.mu.Unlock()
	if killed {
		_ = group.Kill()
	}
	if err := group.Unguarded(); err != nil {
		p.journal.logger.Debug("plugin has no watcher, only its lifeline", "reason", err)
	}
	p.readers.Go(func() { p.readStdout(group) })
	p.readers.Go(p.readStderr)
	go p.supervise(group)
	return nil
}

// supervise waits for the end and cleans up after it.
func (p *process) supervise(group *procgroup.Process) {
	exit, err := group.Wait(context.Background())
	// This also ends what the plugin left behind in its group.
	group.Release()
	p.drain()
	p.exit = ExitStatus{Code: exit.Code, Signal: exit.Signal}
	if err != nil {
		p.exit = ExitStatus{Code: -1}
	}
	close(p.ended)
}

// drain lets the readers finish, or ends them.
func (p *process) drain() {
	read := make(chan struct{})
	go func() { p.readers.Wait(); close(read) }()
	for range drainRounds {
		if await(read, drainRound) {
			break
		}
	}
	// The greeting may have no reader left.
	_ = p.greetingOut.Close()
	p.pipes.closeHost()
	<-read
}

func (p *process) readStdout(group *procgroup.Process) {
	in := bufio.NewReaderSize(p.pipes.out, lineMax)
	p.greet(in, group)
	readLines(in, p.journal.stdout)
}

// greet passes a valid first line on to go-plugin.
func (p *process) greet(in *bufio.Reader, group *procgroup.Process) {
	line, err := firstLine(in)
	var refused *badGreeting
	if line != "" || err == nil {
		refused = checkGreeting(line, p.dir.sockets)
	}
	p.mu.Lock()
	p.greeted = line != "" || err == nil
	p.refused = refused
	p.mu.Unlock()
	switch {
	case refused != nil:
		// go-plugin has it killed as soon as it sees the end.
		await(group.Ended(), lastWordsLimit)
	case err == nil:
		_, _ = p.greetingIn.Write([]byte(line + "\n"))
	}
	_ = p.greetingIn.Close()
}

func (p *process) readStderr() {
	readLines(bufio.NewReaderSize(p.pipes.err, lineMax), p.journal.stderr)
}

// firstLine reads a line of at most greetingMax bytes.
func firstLine(in *bufio.Reader) (string, error) {
	var line []byte
	for len(line) < greetingMax {
		b, err := in.ReadByte()
		if err != nil {
			return string(line), err
		}
		if b == '\n' {
			break
		}
		line = append(line, b)
	}
	return string(line), nil
}

// greeting reports whether the plugin greeted, and why the greeting was refused, if so.
func (p *process) greeting() (greeted bool, refused *badGreeting) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.greeted, p.refused
}

// ownEnd returns how the process ended by itself; nil if it did not.
func (p *process) ownEnd() *ExitStatus {
	select {
	case <-p.ended:
	default:
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed && p.exit.Signal != "" {
		return nil
	}
	exit := p.exit
	return &exit
}

// waitFor waits briefly for the end of the process.
func (p *process) waitFor(limit time.Duration) bool { return await(p.ended, limit) }

func await(done <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// ExitStatus is how a plugin's process ended.
type ExitStatus struct {
	Code int
	// Signal names the signal that ended it, such as "SIGKILL".
	Signal string
}

func (s ExitStatus) String() string {
	if s.Signal != "" {
		return "ended by " + s.Signal
	}
	return fmt.Sprintf("exited with status %d", s.Code)
}

// pipes are the standard streams of a plugin. Its standard input is its lifeline:
// nothing is ever written to it, and it ends when we do.
type pipes struct {
	childIn, childOut, childErr *os.File
	lifeline, out, err          *os.File
}

func openPipes() (pipes, error) {
	var p pipes
	var err error
	open := func(r, w **os.File) {
		if err == nil {
			*r, *w, err = os.Pipe()
		}
	}
	open(&p.childIn, &p.lifeline)
	open(&p.out, &p.childOut)
	open(&p.err, &p.childErr)
	if err != nil {
		p.closeChild()
		p.closeHost()
		return pipes{}, fmt.Errorf("open pipes for a plugin: %w", err)
	}
	return p, nil
}

func (p pipes) closeChild() { closeAll(p.childIn, p.childOut, p.childErr) }
func (p pipes) closeHost()  { closeAll(p.lifeline, p.out, p.err) }

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
