package stream

import (
	"fmt"
	"io"
	"math/rand/v2"
)

// linesPerTest is how much one test logs in a stream of logs.
const linesPerTest = 10_000

// Logs writes at least the given number of events: a few tests that pass and log a lot.
func (r *Recording) Logs(w io.Writer, seed uint64, events int) (Count, error) {
	random := rand.New(rand.NewPCG(seed, seed))
	p, err := r.find("chatty")
	if err != nil {
		return Count{}, err
	}
	const recordedTest = "TestServer"
	first := p.lines[:3] // start, run, "=== RUN"
	logged := p.part(func(l line) bool { return l.action == "output" && l.test != "" })
	last := logged[len(logged)-1:] // "--- PASS"
	last = append(last[:1:1], p.part(func(l line) bool { return l.test != "" && l.action == "pass" })...)
	texts := holes(logged[1:len(logged)-1], recordedTest)
	end := p.part(func(l line) bool { return l.test == "" && l.action != "start" })
	out := &lineWriter{w: w}
	out.plain(first[:1])
	for test := 0; out.err == nil && out.count.Events < events; test++ {
		name := fmt.Appendf(nil, "%s%03d", recordedTest, test)
		out.lines(holes(first[1:], recordedTest), name)
		for range linesPerTest {
			out.line(texts[random.IntN(len(texts))], name)
		}
		out.lines(holes(last, recordedTest), name)
		out.count.Passed++
	}
	out.plain(end)
	return out.count, out.err
}

// lineWriter writes events and counts them. The first error sticks.
type lineWriter struct {
	w     io.Writer
	count Count
	err   error
}

func (o *lineWriter) line(t template, filling []byte) {
	if o.err != nil {
		return
	}
	var n int64
	n, o.err = t.write(o.w, filling)
	o.count.Events++
	o.count.Bytes += n
}

func (o *lineWriter) lines(ts []template, filling []byte) {
	for _, t := range ts {
		o.line(t, filling)
	}
}

// plain writes lines as they were recorded.
func (o *lineWriter) plain(lines []line) {
	for _, l := range lines {
		o.line(template{parts: [][]byte{l.text}}, nil)
	}
}
