package solcout

import "strings"

const (
	// maxDiagnostics is more than a person reads; the first ones matter most.
	maxDiagnostics = 500
	// maxOwn bounds forge's own errors and warnings, each.
	maxOwn = 50
	// maxMessage bounds one message.
	maxMessage = 16 << 10
	maxNotes   = 20
)

// Scanner reads lines. Each stream needs its own, since messages span lines. The zero
// value is ready to use.
type Scanner struct {
	report Report
	seen   map[identity]struct{}
	block  block
}

// identity is what makes two diagnostics equal.
type identity struct {
	severity      Severity
	code, message string
	place         Place
}

// block is a message that may go on.
type block struct {
	kind   blockKind
	header header
	// text holds the lines of the message.
	text  strings.Builder
	place Place
	notes []Note
	// note reports whether the next place belongs to the last note.
	note bool
	// source reports whether the source excerpt has begun.
	source bool
}

type blockKind int

const (
	noBlock blockKind = iota
	compilerBlock
	ownBlock // forge's own message, or the compiler's if a place follows
	panicBlock
)

// Line consumes one line, without its line end. It reports whether the line belongs to
// a message of the compiler or of forge.
func (s *Scanner) Line(raw []byte) (known bool) {
	line := strings.TrimRight(cleanLine(raw), " \t\r")
	if rest, found := cutFailed(line); found {
		s.endBlock()
		s.report.Failed = true
		if rest == "" {
			return true
		}
		line = rest
	}
	if startsPanic(line) {
		s.endBlock()
		s.block = block{kind: panicBlock}
		s.addText(line)
		return true
	}
	if h, ok := readHeader(line); ok {
		s.beginBlock(h)
		return true
	}
	if s.block.kind == noBlock {
		return false
	}
	return s.continueBlock(line)
}

// cutFailed removes "Compiler run failed:", with or without "Error:" before it, from a
// line.
func cutFailed(line string) (rest string, found bool) {
	rest, found = strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(line, "Error:")), "Compiler run failed")
	if !found {
		return "", false
	}
	return strings.TrimSpace(strings.TrimLeft(rest, ":")), true
}

func startsPanic(line string) bool {
	return strings.HasPrefix(line, "The application panicked") || strings.HasPrefix(line, "thread '") && strings.Contains(line, "panicked at")
}

func (s *Scanner) beginBlock(h header) {
	s.endBlock()
	s.block = block{kind: compilerBlock, header: h, place: h.place}
	if h.own {
		s.block.kind = ownBlock
	}
	s.addText(h.message)
}

// continueBlock consumes a further line of a message.
func (s *Scanner) continueBlock(line string) bool {
	b := &s.block
	trimmed := strings.TrimSpace(line)
	if at, found := strings.CutPrefix(trimmed, "-->"); found {
		if place, ok := readPlace(at); ok && b.kind != panicBlock {
			s.addPlace(place)
			return true
		}
	}
	switch {
	case b.kind == panicBlock:
		s.addText(line)
	case strings.HasPrefix(trimmed, "{\"") || isTracing(trimmed):
		s.endBlock() // a line of another kind
		return false
	case strings.HasPrefix(trimmed, "Note: ") && b.place.File != "":
		b.kind = compilerBlock
		if len(b.notes) < maxNotes {
			b.notes = append(b.notes, Note{Message: strings.TrimPrefix(trimmed, "Note: ")})
		}
		b.note, b.source = true, false
	case isExcerpt(trimmed) && b.place.File != "":
		b.source = true
	case trimmed == "":
		if b.place.File == "" {
			s.addText("")
		}
	case b.note && !b.source && len(b.notes) > 0:
		note := &b.notes[len(b.notes)-1]
		if len(note.Message) < maxMessage {
			note.Message += "\n" + trimmed
		}
	case b.place.File == "":
		s.addText(line)
	case b.header.place.File != "":
		// Old versions print the excerpt without a frame.
	default:
		s.endBlock()
		return false
	}
	return true
}

// addPlace consumes a line with a place.
func (s *Scanner) addPlace(place Place) {
	b := &s.block
	switch {
	case b.note && len(b.notes) > 0 && b.notes[len(b.notes)-1].Place.File == "":
		b.notes[len(b.notes)-1].Place = place
	case b.place.File == "":
		b.kind, b.place = compilerBlock, place
	case len(b.notes) < maxNotes:
		b.notes = append(b.notes, Note{Place: place})
	}
	b.source = false
}

// isExcerpt reports whether a line is part of a source excerpt: "3 | contract A {" or "
// |  ^^".
func isExcerpt(trimmed string) bool {
	rest := strings.TrimLeft(trimmed, "0123456789")
	return strings.HasPrefix(strings.TrimLeft(rest, " "), "|") || trimmed != "" && strings.Trim(trimmed, "^-~ ") == ""
}

// isTracing reports whether a line comes from forge's logger: such lines begin with a
// timestamp.
func isTracing(line string) bool {
	return len(line) > 20 && line[4] == '-' && line[7] == '-' && line[10] == 'T' && line[13] == ':'
}

func (s *Scanner) addText(line string) {
	t := &s.block.text
	if t.Len() > 0 {
		t.WriteByte('\n')
	}
	if room := maxMessage - t.Len(); room > 0 {
		t.WriteString(line[:min(room, len(line))])
	}
}

// endBlock finishes the current message.
func (s *Scanner) endBlock() {
	b := s.block
	s.block = block{}
	if b.kind == noBlock {
		return
	}
	text := strings.ToValidUTF8(strings.TrimSpace(b.text.String()), "")
	// After a failed compilation a bare "Error:" is the compiler's, unless it is the one
	// that announces the failure.
	compiler := b.kind == compilerBlock || b.kind == ownBlock && s.report.Failed && text != compilationFailed
	switch {
	case text == "":
	case compiler:
		s.addDiagnostic(Diagnostic{Severity: b.header.severity, Code: b.header.code, Message: text, Place: b.place, Notes: b.notes})
	case b.kind == ownBlock && b.header.severity == Warning:
		s.report.Warnings = appendNew(s.report.Warnings, text)
	case b.kind == ownBlock && b.header.severity == Info:
	default:
		s.report.Errors = appendNew(s.report.Errors, text)
	}
}

// compilationFailed is what forge prints on standard output after a compile error.
const compilationFailed = "Compilation failed"

func appendNew(list []string, text string) []string {
	if len(list) >= maxOwn {
		return list
	}
	for _, old := range list {
		if old == text {
			return list
		}
	}
	return append(list, text)
}

func (s *Scanner) addDiagnostic(d Diagnostic) {
	key := identity{d.Severity, d.Code, d.Message, d.Place}
	if _, repeated := s.seen[key]; repeated {
		return
	}
	if len(s.report.Diagnostics) >= maxDiagnostics {
		s.report.Omitted++
		return
	}
	if s.seen == nil {
		s.seen = map[identity]struct{}{}
	}
	s.seen[key] = struct{}{}
	s.report.Diagnostics = append(s.report.Diagnostics, d)
}

// Report finishes the last message and returns what was read.
func (s *Scanner) Report() Report {
	s.endBlock()
	return s.report
}
