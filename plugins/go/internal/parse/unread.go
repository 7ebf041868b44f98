package parse

import (
	"bytes"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// maxSample bounds the sample of unread output.
const maxSample = 512

// unread counts lines of standard output that are no events: damaged ones, red
// ones, which say that something failed, and other foreign ones. redWords are the
// red lines of standard error.
type unread struct{ damaged, red, foreign, redWords sdk.Unread }

// add counts a line of standard output. What looks like an event, or like a part
// of one, is damage: a result may be lost with it.
func (u *unread) add(line []byte, excess int) {
	switch {
	case len(bytes.TrimSpace(line)) == 0:
	case looksLikeEvent(line):
		count(&u.damaged, line, excess)
	case isRed(line):
		count(&u.red, line, excess)
	default:
		count(&u.foreign, line, excess)
	}
}

// addRed counts a line of standard error if it is red: the others are the go
// command's own and no results are among them.
func (u *unread) addRed(line []byte) {
	if isRed(line) {
		count(&u.redWords, line, 0)
	}
}

func count(kind *sdk.Unread, line []byte, excess int) {
	if kind.Bytes == 0 {
		kind.Sample = string(bytes.ToValidUTF8(line[:min(len(line), maxSample)], []byte("\uFFFD")))
	}
	kind.Bytes += int64(len(line) + excess)
}

// report tells what was not read. doubtful says that nothing but the text tells
// whether the run is red: red lines then stand for results that are missing. cut says
// that the text ends within a line, which may be any.
func (u *unread) report(sink sdk.Sink, doubtful, cut bool) {
	if cut {
		join(&u.damaged, u.foreign)
		u.foreign = sdk.Unread{}
	}
	if doubtful {
		join(&u.damaged, u.red)
		join(&u.damaged, u.redWords)
	} else {
		join(&u.foreign, u.red)
	}
	u.damaged.Damaged = true
	for _, kind := range []sdk.Unread{u.damaged, u.foreign} {
		if kind.Bytes > 0 {
			sink.Unread(kind)
		}
	}
}

func join(to *sdk.Unread, from sdk.Unread) {
	if to.Bytes == 0 {
		to.Sample = from.Sample
	}
	to.Bytes += from.Bytes
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
		p.command.foreign.add(part)
		text := strings.TrimRight(strings.ToValidUTF8(string(part[:min(len(part), maxBuildLine)]), "\uFFFD"), "\r\n")
		p.output.buildText(p.command.builds.read(fromStdout, text), text)
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
