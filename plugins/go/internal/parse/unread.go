package parse

import (
	"bytes"

	"github.com/proctorhq/proctor/sdk"
)

// maxSample bounds the sample of unread output.
const maxSample = 512

// unread counts lines of standard output that are no events.
type unread struct{ foreign, damaged sdk.Unread }

// add counts a line. What looks like an event, or like a part of one, is
// damage: a result may be lost with it.
func (u *unread) add(line []byte, excess int) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	kind := &u.foreign
	if looksLikeEvent(line) {
		kind = &u.damaged
		kind.Damaged = true
	}
	if kind.Bytes == 0 {
		kind.Sample = string(bytes.ToValidUTF8(line[:min(len(line), maxSample)], []byte("\uFFFD")))
	}
	kind.Bytes += int64(len(line) + excess)
}

func (u *unread) report(sink sdk.Sink) {
	for _, kind := range []sdk.Unread{u.damaged, u.foreign} {
		if kind.Bytes > 0 {
			sink.Unread(kind)
		}
	}
}

var (
	eventStarts = [][]byte{[]byte(`{"Time":"`), []byte(`{"Action":"`), []byte(`{"ImportPath":"`)}
	eventParts  = [][]byte{[]byte(`"Action":`), []byte(`"Package":"`), []byte(`"Output":"`), []byte(`"Elapsed":`)}
)

func looksLikeEvent(line []byte) bool {
	for _, start := range eventStarts {
		// A stream cut within the first key still shows its beginning.
		if bytes.Contains(line, start) || len(line) < len(start) && bytes.HasPrefix(start, bytes.TrimRight(line, "\r\n")) {
			return true
		}
	}
	for _, part := range eventParts {
		if bytes.Contains(line, part) {
			return true
		}
	}
	return false
}

// salvage takes a line that is no event. There may be events in it all the
// same: when something else was printed in front of one without a line feed,
// or when line feeds were lost. Their beginnings cannot stand within an event,
// where quotes are escaped.
func (p *Parser) salvage(line []byte) {
	if p.plainResult(line) {
		return
	}
	cuts := eventCuts(line)
	for i, from := range cuts {
		to := len(line)
		if i+1 < len(cuts) {
			to = cuts[i+1]
		}
		part := line[from:to]
		if len(cuts) > 1 && p.scanner.Scan(part, &p.event) {
			p.handle(&p.event)
			continue
		}
		p.unread.add(part, 0)
		p.foreign.add(part)
	}
}

// eventCuts are the positions at which a line may be cut into events: its
// start and the start of each event in it.
func eventCuts(line []byte) []int {
	cuts := []int{0}
	for at := 1; at < len(line); at++ {
		next := bytes.IndexByte(line[at:], '{')
		if next < 0 {
			break
		}
		at += next
		for _, start := range eventStarts {
			if bytes.HasPrefix(line[at:], start) {
				cuts = append(cuts, at)
			}
		}
	}
	return cuts
}
