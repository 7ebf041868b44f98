package process

import (
	"bytes"
	"sync"
)

// outputStream keeps the first line of a stream and some of the rest.
type outputStream struct {
	mu    sync.Mutex
	first []byte
	rest  tail
	whole bool
	// ready is closed when the first line is complete, too long, or will never come.
	ready chan struct{}
	once  sync.Once
}

func newOutputStream() *outputStream { return &outputStream{ready: make(chan struct{})} }

func (g *outputStream) Write(data []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := len(data)
	if !g.whole {
		line, rest, found := bytes.Cut(data, []byte("\n"))
		room := maxGreeting - len(g.first)
		if len(line) > room {
			line, rest, found = line[:room], data[room:], true
		}
		g.first = append(g.first, line...)
		if !found {
			return n, nil
		}
		g.whole = true
		g.end()
		data = rest
	}
	_, _ = g.rest.Write(data)
	return n, nil
}

// end marks the first line as never to be completed.
func (g *outputStream) end() { g.once.Do(func() { close(g.ready) }) }

func (g *outputStream) text() (first, rest string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return string(g.first), g.rest.String()
}

// tail keeps the last bytes of a stream.
type tail struct {
	mu   sync.Mutex
	data []byte
}

func (t *tail) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, data...)
	if len(t.data) > maxKept {
		t.data = append(t.data[:0], t.data[len(t.data)-maxKept:]...)
	}
	return len(data), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data)
}
