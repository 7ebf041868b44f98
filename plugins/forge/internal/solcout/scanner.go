package solcout

import "strings"

const (
	// maxDiagnostics is more than a person reads; the first ones matter.
	maxDiagnostics = 500
	// maxOwn bounds forge's own errors, and its warnings.
	maxOwn = 50
	// maxMessage bounds one message.
	maxMessage = 16 << 10
	maxNotes   = 20
)

// Scanner reads lines. Each stream needs its own: messages have several lines.
// Its zero value is ready.
type Scanner struct {
	report Report
	seen   map[identity]struct{}
	block  block
}

// identity is what makes two diagnostics the same one.
type identity struct {
	severity      Severity
	code, message string
	place         Place
}

// block is a message whose end has not come yet.
type block struct {
	kind   blockKind
	header header
	// text are the lines of the message.
	text  strings.Builder
	place Place
	notes []Note
	// note reports whether the place that comes next belongs to the last note.
	note bool
	// source reports whether the excerpt of the source has begun.
	source bool
}

type blockKind int

const (
	noBlock blockKind = iota
	compilerBlock
	ownBlock // forge's own words, or the compiler's if a place follows
	panicBlock
)

// Line takes one line without its end. It reports whether the line belongs to a
// message of the compiler or of forge.
func (s *Scanner) Line(raw []byte) (known bool) {
	line := strings.TrimRight(plain(raw), " \t\r")
	if rest, found := cutFailed(line); found {
		s.end()
		s.report.Failed = true
		if rest == "" {
			return true
		}
		line = rest
	}
	if startsPanic(line) {
		s.end()
		s.block = block{kind: panicBlock}
		s.addText(line)
		return true
	}
	if h, ok := readHeader(line); ok {
		s.begin(h)
		return true
	}
	if s.block.kind == noBlock {
		return false
	}
	return s.goOn(line)
}

// cutFailed cuts "Compiler run failed:" off a line, with or without the word
// before it.
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

func (s *Scanner) begin(h header) {
	s.end()
	s.block = block{kind: compilerBlock, header: h, place: h.place}
	if h.own {
		s.block.kind = ownBlock
	}
	s.addText(h.message)
}

// goOn takes a line after the first of a message.
func (s *Scanner) goOn(line string) bool {
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
		s.end() // a line of another kind
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
		// Old versions print the source without a frame around it.
	default:
		s.end()
		return false
	}
	return true
}

// addPlace takes a place line.
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

// isExcerpt reports whether a line shows source: "3 | contract A {" or "  |  ^^".
func isExcerpt(trimmed string) bool {
	rest := strings.TrimLeft(trimmed, "0123456789")
	return strings.HasPrefix(strings.TrimLeft(rest, " "), "|") || trimmed != "" && strings.Trim(trimmed, "^-~ ") == ""
}

// isTracing recognises lines of forge's logger: they begin with a time.
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

// end takes the message that was read.
func (s *Scanner) end() {
	b := s.block
	s.block = block{}
	if b.kind == noBlock {
		return
	}
	text := strings.ToValidUTF8(strings.TrimSpace(b.text.String()), "")
	// Where the compiler has failed, a bare "Error:" is its own unless it says
	// that the compiler failed.
	compiler := b.kind == compilerBlock || b.kind == ownBlock && s.report.Failed && text != compilationFailed
	switch {
	case text == "":
	case compiler:
		s.diagnostic(Diagnostic{Severity: b.header.severity, Code: b.header.code, Message: text, Place: b.place, Notes: b.notes})
	case b.kind == ownBlock && b.header.severity == Warning:
		s.report.Warnings = appendNew(s.report.Warnings, text)
	case b.kind == ownBlock && b.header.severity == Info:
	default:
		s.report.Errors = appendNew(s.report.Errors, text)
	}
}

// compilationFailed is what forge says beside a compile error on standard
// output.
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

func (s *Scanner) diagnostic(d Diagnostic) {
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

// Report ends the last message and returns what was read.
func (s *Scanner) Report() Report {
	s.end()
	return s.report
}
