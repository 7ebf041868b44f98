package parse

import (
	"bytes"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// maxLine bounds what is held of one line. Lines of test2json have a few KiB, and a
// build error of cmd/go some more; a longer line is not an event.
const maxLine = 4 << 20

// lineSplitter splits a stream into lines, however it is chunked.
type lineSplitter struct {
	// partial is the beginning of an incomplete line.
	partial []byte
	// excess counts the bytes beyond maxLine of the current line.
	excess int
}

// write calls emit with each complete line, including its line end. excess is how many
// of its bytes were dropped.
func (l *lineSplitter) write(data []byte, emit func(line []byte, excess int)) {
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n') + 1
		if end == 0 {
			l.hold(data)
			return
		}
		if len(l.partial) == 0 && l.excess == 0 && end <= maxLine {
			emit(data[:end], 0)
		} else {
			l.hold(data[:end])
			l.flush(emit)
		}
		data = data[end:]
	}
}

// flush emits the incomplete line at the end of the stream.
func (l *lineSplitter) flush(emit func(line []byte, excess int)) {
	if len(l.partial) == 0 {
		return
	}
	emit(l.partial, l.excess)
	l.partial, l.excess = l.partial[:0], 0
}

func (l *lineSplitter) hold(data []byte) {
	room := min(len(data), maxLine-len(l.partial))
	l.partial = append(l.partial, data[:room]...)
	l.excess += len(data) - room
}

// stderrLine handles a line of the go command.
func (p *Parser) stderrLine(line []byte, _ int) {
	p.command.words.add(line)
	p.unread.addRed(line)
	text := strings.TrimRight(strings.ToValidUTF8(string(line[:min(len(line), maxBuildLine)]), "\uFFFD"), "\r\n")
	if strings.HasPrefix(text, "go: ") {
		p.command.noteUnmatched(text)
		return
	}
	if p.plainResult(line) {
		return
	}
	owner := p.command.builds.readLine(fromStderr, text)
	p.output.buildText(owner, text)
}

// plainResult handles the lines that go test prints outside of the events before Go
// 1.24: "FAIL\tpkg [build failed]".
func (p *Parser) plainResult(line []byte) bool {
	rest, found := strings.CutPrefix(strings.TrimRight(string(line[:min(len(line), maxBuildLine)]), "\r\n"), "FAIL\t")
	if !found {
		return false
	}
	for _, note := range []string{noteBuildFailed, noteSetupFailed} {
		if name, found := strings.CutSuffix(rest, " ["+note+"]"); found {
			if p.command.builds.hasFailed(name) || p.suites.isWaiting(name) {
				return true // printed on both streams
			}
			s := newSuite(name)
			s.buildNote = note
			s.end = &suiteEnd{action: testjson.ActionFail}
			p.counts.suites++
			if p.command.builds.someInterrupted() {
				p.suites.waiting = append(p.suites.waiting, s)
				return true
			}
			p.ender.conclude(s, sdk.Exit{Unknown: true})
			return true
		}
	}
	return false
}

// salvage handles a line that is not an event. It may still contain events, if
// something else was printed in front of one without a line feed or if line feeds were
// lost. The beginning of an event cannot occur within an event, because quotes are
// escaped there.
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
		p.output.buildText(p.command.builds.readLine(fromStdout, text), text)
	}
}

// eventCuts returns the positions at which a line may be cut into events: its start and
// the start of each event in it.
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
