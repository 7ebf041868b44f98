package runner

import (
	"errors"
	"os"
	"sync"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// pipeSize is the largest pipe that Linux grants to any user.
const pipeSize = 1 << 20

// phase is how far the command has come, as far as a reader cares.
type phase int

const (
	running   phase = iota
	lingering       // the command has ended: a process that holds the output is a leftover
	killed          // the whole group is dead: a process that holds the output has left it
)

// source reads one stream of the command. Its two buffers, one being filled and one
// being delivered, are all the memory that a flood takes.
type source struct {
	stream sdk.Stream
	file   *os.File
	limits limits
	// nap is how long to sleep between reads; see limits.
	nap  time.Duration
	free chan []byte
	// held is notified if the output is open although the command has ended.
	held chan<- struct{}

	mu      sync.Mutex
	phase   phase
	since   time.Time // of the phase
	waiting bool      // in a read that starts a chunk
	late    int       // bytes read in this phase
}

func newSource(stream sdk.Stream, from pipe, lim limits, held chan<- struct{}) *source {
	s := &source{stream: stream, file: from.read, limits: lim, held: held, free: make(chan []byte, 2)}
	if from.wide {
		s.nap = lim.nap
	}
	for range cap(s.free) {
		s.free <- make([]byte, chunkSize)
	}
	return s
}

// pump sends chunks until the stream ends or is abandoned.
func (s *source) pump(chunks chan<- chunk) {
	for more := true; more; {
		buffer := (<-s.free)[:chunkSize]
		var n int
		n, more = s.fill(buffer)
		if n == 0 {
			s.free <- buffer
			continue
		}
		chunks <- chunk{stream: s.stream, data: buffer[:n], free: s.free}
		more = more && !s.endless(n)
	}
}

// enter tells the source that the command has entered the next phase.
func (s *source) enter(next phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase, s.since, s.late = next, time.Now(), 0
	if s.waiting && s.setDeadline() != nil && next == lingering {
		// No read deadlines here: the kill ends the read.
		time.AfterFunc(s.limits.silence, s.tellHeld)
	}
}

// fill waits for output and collects what follows at once.
func (s *source) fill(buffer []byte) (n int, more bool) {
	n, err := s.await(buffer)
	if err != nil {
		return n, false
	}
	if n == len(buffer) || s.file.SetReadDeadline(time.Now().Add(s.limits.coalesce)) != nil {
		return n, true
	}
	for n < len(buffer) {
		// Each write of the command would wake us up: sleep through some.
		time.Sleep(s.nap)
		m, err := s.file.Read(buffer[n:])
		n += m
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
		if err != nil {
			return n, false
		}
	}
	return n, true
}

// await reads the first bytes of a chunk, for as long as the phase allows.
func (s *source) await(buffer []byte) (int, error) {
	for {
		before := s.wait()
		n, err := s.file.Read(buffer)
		now := s.stopWaiting()
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if now != before {
			continue // the deadline was that of another phase
		}
		switch now {
		case lingering:
			s.tellHeld() // and wait for the kill
		case killed:
			s.tellHeld()
			return 0, err
		}
	}
}

func (s *source) wait() phase {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = true
	_ = s.setDeadline()
	return s.phase
}

func (s *source) stopWaiting() phase {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = false
	return s.phase
}

// setDeadline bounds the silence of processes that have no right to hold the output.
func (s *source) setDeadline() error {
	if s.phase == running {
		return s.file.SetReadDeadline(time.Time{})
	}
	return s.file.SetReadDeadline(time.Now().Add(s.limits.silence))
}

// endless reports whether a process that we cannot end is writing. A pipe of the dead
// holds at most its capacity. It also notices when a leftover does not stop and must be
// killed.
func (s *source) endless(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late += n
	// Twice, as somebody may have been writing at that very moment.
	if s.phase == running || s.late <= 2*pipeSize {
		return false
	}
	if s.phase == lingering {
		if time.Since(s.since) > s.limits.linger {
			s.tellHeld()
		}
		return false
	}
	s.tellHeld()
	return true
}

// tellHeld does not block: one message from both sources is enough.
func (s *source) tellHeld() {
	select {
	case s.held <- struct{}{}:
	default:
	}
}

// pipes are the two streams of a command.
type pipes struct{ stdout, stderr pipe }

// pipe has an end that we read and one that the command writes. A wide one holds
// pipeSize.
type pipe struct {
	read, write *os.File
	wide        bool
}

func openPipes() (*pipes, error) {
	p := &pipes{}
	for _, one := range []*pipe{&p.stdout, &p.stderr} {
		var err error
		if one.read, one.write, err = os.Pipe(); err != nil {
			p.close()
			return nil, err
		}
		one.wide = widen(one.read)
	}
	return p, nil
}

// given closes the ends that the command has now.
func (p *pipes) given() {
	_ = p.stdout.write.Close()
	_ = p.stderr.write.Close()
}

// close closes what is open. Closing twice, or closing nil, is harmless.
func (p *pipes) close() {
	for _, file := range []*os.File{p.stdout.read, p.stdout.write, p.stderr.read, p.stderr.write} {
		_ = file.Close()
	}
}
