package screen

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/watch"
)

// The keys that are no letters.
const (
	ctrlC     = '\x03'
	ctrlL     = '\x0c'
	ctrlU     = '\x15'
	ctrlZ     = '\x1a'
	enter     = '\r'
	newline   = '\n'
	escapeKey = '\x1b'
	backspace = '\x7f'
	ctrlH     = '\x08'
)

// keysLong, keysShort and keysDuring are the last line of the view.
const (
	keysLong   = "[Enter] all  [f] failed  [a] affected  [p] package  [t] test  [w] why  [?] keys  [q] quit"
	keysShort  = "[Enter] all  [f] failed  [t] test  [?] keys  [q] quit"
	keysDuring = "[s] stop  [q] quit"
)

// keysHelp is what ? shows.
const keysHelp = `Enter  run all tests, and show all again
f      run what is outstanding: failed, not finished or
       never started
a      run what uncommitted changes can break
p, t   show only the tests of a package, or those of a name
       (Enter takes it, Esc leaves, Ctrl-U clears)
w      why a test failed; again for the next
u      rewrite golden files
s      stop
q      quit (exit code 0); Ctrl-C quits with 130, Ctrl-Z
       suspends
Saving a file runs what is outstanding, and then what the
change can break.`

// updateHelp is what u shows first, since pressing it again changes files; %s is the flag.
const updateHelp = `u again runs the packages with failing tests with %s,
which their tests have to define, so that they write what
they expect anew. Look at what that changes before you
commit it.`

// selected is what a shows where what was typed selects the tests.
const selected = "this watch is of selected tests: Enter runs them"

// noUpdate is what u shows where no runner has a flag for it.
const noUpdate = "nothing here tells tests to write what they expect anew"

// confirmUpdate returns what u shows first.
func confirmUpdate(updates map[string]string) string {
	for _, language := range slices.Sorted(maps.Keys(updates)) {
		if updates[language] != "" {
			return fmt.Sprintf(updateHelp, updates[language])
		}
	}
	return noUpdate
}

// prompt is a line that the user is typing.
type prompt struct {
	what   string // test, or what users call a suite
	suites bool
	text   string
	narrow watch.Narrow // as before, with the typed part once it is entered
}

// The sequences by which a terminal brackets what is pasted, once it is asked to, and the
// requests: a pasted text is no keys.
const (
	pasteBegins  = "\x1b[200~"
	pasteEnds    = "\x1b[201~"
	bracketPaste = "\x1b[?2004h"
	plainPaste   = "\x1b[?2004l"
)

// readKeys handles keys until the reader ends. It assumes that the beginning of an escape
// sequence, such as that of an arrow key, arrives in one piece.
func (s *Screen) readKeys(ctx context.Context, r io.Reader) {
	defer s.guard()
	in := bufio.NewReader(r)
	for {
		key, _, err := in.ReadRune()
		if err != nil {
			return
		}
		if key == escapeKey {
			if sequence := readSequence(in); sequence == pasteBegins {
				s.paste(readPasted(in))
				continue
			} else if sequence != string(key) {
				continue
			}
		}
		if key == ctrlZ {
			suspend(s)
			continue
		}
		if command, ok := s.press(key); ok {
			select {
			case s.commands <- command:
			case <-ctx.Done():
				return
			}
		}
	}
}

// readSequence returns the sequence that begins with the escape just read: that alone if
// it is a key of its own. Ctrl-C is a key even there: the rest may never come, as after Alt-[.
func readSequence(in *bufio.Reader) string {
	sequence := []byte{escapeKey}
	if next, _ := in.Peek(min(1, in.Buffered())); len(next) == 0 || next[0] < ' ' {
		return string(sequence)
	}
	for {
		b, err := in.ReadByte()
		if err == nil && b == ctrlC {
			_ = in.UnreadByte()
			return string(sequence)
		}
		sequence = append(sequence, b)
		// ECMA-48: [ and parameters up to a final byte; O and a byte; or Alt and a key.
		switch {
		case err != nil:
			return string(sequence)
		case len(sequence) == 2 && (b == '[' || b == 'O'):
		case sequence[1] == '[' && (b < '@' || b > '~'):
		default:
			return string(sequence)
		}
	}
}

// readPasted reads what is pasted. Ctrl-C is a key even there: the end may be lost.
func readPasted(in *bufio.Reader) string {
	var text []byte
	for {
		b, err := in.ReadByte()
		if err == nil && b == ctrlC {
			_ = in.UnreadByte()
			return ""
		}
		if text = append(text, b); err != nil {
			return ""
		}
		if before, ok := bytes.CutSuffix(text, []byte(pasteEnds)); ok {
			return string(before)
		}
	}
}

// paste adds the first line of a text to the line that the user is typing, if there is one.
func (s *Screen) paste(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prompt == nil {
		return
	}
	text, _, _ = strings.Cut(strings.ReplaceAll(strings.TrimSpace(text), "\r", "\n"), "\n")
	s.prompt.text += strings.Map(func(r rune) rune {
		if r < ' ' || r == backspace || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
	s.draw()
}

// press handles a key, and returns its command, if any.
func (s *Screen) press(key rune) (watch.Command, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.draw()
	if key == ctrlC {
		return watch.Command{Action: watch.Interrupt}, true
	}
	if s.prompt != nil {
		taken, done := s.prompt.edit(key, s.known, s.names)
		if done {
			s.prompt = nil
		}
		if taken != nil {
			s.narrow = *taken
		}
		return watch.Command{Action: watch.SetNarrow, Narrow: s.narrow}, taken != nil
	}
	overlaid := s.overlay
	s.overlay, s.about = "", ""
	run := func(what watch.What) (watch.Command, bool) { return watch.Command{What: what}, true }
	switch key {
	case 'q':
		return watch.Command{Action: watch.Quit}, true
	case enter, newline:
		return run(watch.Everything)
	case 'f':
		return run(watch.Failed)
	case 'a':
		if !s.selects {
			return run(watch.Affected)
		}
		s.overlay = selected
	case 's':
		return watch.Command{Action: watch.Stop}, s.round != nil
	case 'p':
		s.prompt = &prompt{what: "package", suites: true, text: s.narrow.Package, narrow: s.narrow}
		if s.last != nil {
			s.prompt.what = cmp.Or(render.Style{Nouns: s.last.Nouns}.Speaking().Noun, s.prompt.what)
		}
	case 't':
		s.prompt = &prompt{what: "test", text: s.narrow.Filter, narrow: s.narrow}
	case 'w':
		s.explain()
	case '?', 'h':
		if overlaid != keysHelp {
			s.overlay = keysHelp
		}
	case 'u':
		if s.round != nil || s.last == nil {
			break
		}
		if s.overlay = confirmUpdate(s.last.Updates); len(s.last.Still.Tests) == 0 {
			s.overlay = "nothing is outstanding"
		} else if overlaid == s.overlay && overlaid != noUpdate {
			return run(watch.Update)
		}
	case ctrlL:
		s.drawn = nil // whatever stands there stays above
	}
	return watch.Command{}, false
}

// edit handles a key. taken is the new selection if the user entered it.
func (p *prompt) edit(key rune, known known, names api.SuiteNames) (taken *watch.Narrow, done bool) {
	switch key {
	case escapeKey:
		return nil, true
	case ctrlU:
		p.text = ""
	case backspace, ctrlH:
		_, size := utf8.DecodeLastRuneInString(p.text)
		p.text = p.text[:len(p.text)-size]
	case enter, newline:
		if p.suites {
			p.narrow.Package, p.narrow.Suites = p.text, nil
			if p.text != "" {
				p.narrow.Suites = p.chooseSuites(known, names)
			}
		} else {
			p.narrow.Filter = p.text
		}
		return &p.narrow, true
	default:
		if key >= ' ' && key != utf8.RuneError {
			p.text += string(key)
		}
	}
	return nil, false
}

// explain shows why a test fails: the first, and the next one each time.
func (s *Screen) explain() {
	if s.round != nil || s.last == nil {
		return
	}
	if len(s.last.Still.Tests) == 0 {
		s.overlay = "nothing is outstanding"
		return
	}
	t := s.last.Still.Tests[s.explained%len(s.last.Still.Tests)]
	s.explained++
	s.overlay, s.about = s.why(t, *s.last), prose.QualifiedName(t.Suite, t.Test)
}

// maxKnown bounds the tests that a prompt finds.
const maxKnown = 50_000

// known are the tests that ended during the watch, without those inside others, and their
// suites with their languages.
type known struct {
	suites map[string]knownSuite
	tests  map[string]bool
}

type knownSuite struct{ language, file string }

func (k *known) learn(r api.Result, language string) {
	if k.tests == nil {
		k.suites, k.tests = map[string]knownSuite{}, map[string]bool{}
	}
	if len(k.suites) < maxKnown && r.Suite != "" {
		k.suites[r.Suite] = knownSuite{language, r.File}
	}
	if len(k.tests) < maxKnown && r.Test != "" && r.Root == "" && !r.Fixture {
		k.tests[r.Test] = true
	}
}

// findSuites returns the known suites that the typed text is a part of the names of; none if
// it is a path, as the runner takes it.
func (p *prompt) findSuites(known known, names api.SuiteNames) (meant []string) {
	if strings.HasPrefix(p.text, ".") || strings.HasPrefix(p.text, "/") || strings.HasSuffix(p.text, "...") {
		return nil
	}
	for _, suite := range slices.Sorted(maps.Keys(known.suites)) {
		if strings.Contains(names.Short(suite), p.text) {
			meant = append(meant, suite)
		}
	}
	return meant
}

// chooseSuites returns what findSuites finds, by language.
func (p *prompt) chooseSuites(known known, names api.SuiteNames) map[string][]api.ExpectedSuite {
	chosen := map[string][]api.ExpectedSuite{}
	for _, suite := range p.findSuites(known, names) {
		of := known.suites[suite]
		chosen[of.language] = append(chosen[of.language], api.ExpectedSuite{Suite: suite, File: of.file})
	}
	return chosen
}

// matches counts and names what the typed text stands for, as far as it is known; empty if
// nothing is.
func (p *prompt) matches(known known, names api.SuiteNames) string {
	var meant []string
	if p.suites {
		for _, suite := range p.findSuites(known, names) {
			meant = append(meant, names.Short(suite))
		}
		if len(meant) == 0 {
			return "" // a path, or a name, that the runner knows
		}
	} else {
		outer, _, _ := strings.Cut(p.text, "/")
		re, err := regexp.Compile(outer)
		if err != nil {
			return "not a regular expression"
		}
		if len(known.tests) == 0 {
			return ""
		}
		meant = slices.DeleteFunc(slices.Sorted(maps.Keys(known.tests)), func(name string) bool { return !re.MatchString(name) })
		if len(meant) == 0 {
			return "no known test"
		}
	}
	return api.Plural(len(meant), "known "+p.what) + ": " + prose.Line(strings.Join(meant[:min(len(meant), maxMatches)], ", "))
}

// maxMatches is more than a line has room for.
const maxMatches = 50
