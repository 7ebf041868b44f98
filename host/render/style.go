package render

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// Style says how an answer looks.
type Style struct {
	// Color enables SGR sequences.
	Color bool
	// ASCII replaces the symbols of [Ending] where the locale has no others.
	ASCII bool
	// Columns is the width of the terminal; 0 means that the answer goes elsewhere.
	Columns int
	// Quiet omits everything but failures and verdict. About a run that passed it only
	// says what weakens the pass.
	Quiet bool
	// Verbose disables shortening.
	Verbose bool
	// Skips names every skipped test.
	Skips bool
	// More says how to see what a list omits; by default, how on the command line.
	More string
	// Whole says how to see all that a failure printed.
	Whole func(api.Failure) string
	// passes are the runs that are named as the last in which failed tests passed.
	passes map[string]bool
	// Advice says what to do; by default in the words of the command line.
	Advice func(api.Advice) string
	// Named reports whether the reader named the run, which then need not be the last.
	Named bool
	// From is where the reader has the run from, if it was made elsewhere.
	From string
	// Excerpts are the sources around failing places.
	Excerpts []api.Excerpt
	// Changed are the lines that changed since the failing tests passed; nil if unknown.
	Changed *api.ChangedLines
	// Code is what the failing tests reach, likeliest to blame first.
	Code []api.Code
	// Noun is what the reader calls a suite; empty if that is unknown. Nouns has it by
	// language.
	Noun  string
	Nouns map[string]string
	// Names shorten the names of suites; by default they are shown whole.
	Names api.SuiteNames
	// Dir is the workspace that the reader named; empty if it is where the reader is.
	Dir string
}

// namesSessions reports whether to name sessions and source states: a person at a terminal
// asks for them with -v.
func (s Style) namesSessions() bool { return s.Columns == 0 || s.Verbose }

// more ends a list that continues.
func (s Style) more(onCommandLine string) string {
	if s.More != "" {
		return s.More
	}
	return onCommandLine
}

// command formats a call of proctor that can be pasted.
func (s Style) command(argv ...string) string {
	argv = append([]string{"proctor"}, argv...)
	if s.Dir != "" {
		argv = append(argv, "-C", s.Dir)
	}
	return prose.ShellLine(argv)
}

// Speaking returns the style in the words of some languages, or of all: a suite has no
// name of its own if they call it differently.
func (s Style) Speaking(languages ...string) Style {
	if s.Nouns == nil {
		return s
	}
	if len(languages) == 0 {
		languages = slices.Collect(maps.Keys(s.Nouns))
	}
	s.Noun = ""
	for i, language := range languages {
		if i > 0 && s.Nouns[language] != s.Noun {
			s.Noun = ""
			break
		}
		s.Noun = s.Nouns[language]
	}
	return s
}

// name names a test, or a suite, as runs do.
func (s Style) name(suite, test string) string { return prose.Line(name(s.Names.Short(suite), test)) }

// InWords returns a sentence of ours with what the reader calls a suite.
func (s Style) InWords(sentence string) string { return prose.InWordsButNames(sentence, s.Noun) }

// The SGR codes of answers; see ECMA-48, 8.3.117.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// painter colors text, or does not.
type painter struct{ on bool }

func (p painter) paint(code, text string) string {
	if !p.on || code == "" || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p painter) bold(text string) string {
	if !p.on {
		return text
	}
	return "\x1b[1m" + text
}

// asciiSymbols are what a terminal without UTF-8 shows in place of ours.
var asciiSymbols = strings.NewReplacer("✗", "x", "✓", "ok", "–", "-", "…", "...", "▸", ">", "│", "|", "·", "-", "×", "x")

// Symbols returns a text of ours in the characters that the reader has.
func (s Style) Symbols(text string) string {
	if s.ASCII {
		return asciiSymbols.Replace(text)
	}
	return text
}

// firstWide is the first character that takes, or might take, two columns: East Asian
// ones and pictures, see Unicode Standard Annex 11.
const firstWide = 0x1100

// cellsOf counts the columns of a text. A character that might be wide counts as wide,
// since a line that ends too early does no harm.
func cellsOf(text string) int {
	n := 0
	for _, r := range text {
		n++
		if drawn := r >= 0x2500 && r <= 0x259f; r >= firstWide && !drawn && !strings.ContainsRune("✗✓–…▸·", r) {
			n++
		}
	}
	return n
}

// Cut shortens a line to a number of columns; 0 leaves it whole.
func (s Style) Cut(line string, columns int) string {
	if columns <= 0 || cellsOf(line) <= columns {
		return line
	}
	mark := s.Symbols("…")
	for cellsOf(line) > columns-len([]rune(mark)) && line != "" {
		_, size := utf8.DecodeLastRuneInString(line)
		line = line[:len(line)-size]
	}
	return line + mark
}

// Red paints what failed.
func (s Style) Red(text string) string { return painter{s.Color}.paint(red, text) }

// Green paints what passed.
func (s Style) Green(text string) string { return painter{s.Color}.paint(green, text) }

// Yellow paints what is worth a look.
func (s Style) Yellow(text string) string { return painter{s.Color}.paint(yellow, text) }

// Dim paints what is rarely needed.
func (s Style) Dim(text string) string { return painter{s.Color}.paint(dim, text) }
