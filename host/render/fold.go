package render

import (
	"iter"
	"strings"

	"github.com/proctorhq/proctor/host/prose"
)

// leastFolded is the narrowest terminal in which lines are folded: in one of fewer columns
// hardly a name would fit beside its indentation.
const leastFolded = 20

// Fold breaks lines that are wider than the terminal between words, and indents what
// follows. A terminal would break within words. What stands between backticks is a command
// to paste, and stays in one piece, as does a word that is too long for any line.
func (s Style) Fold(text string) string {
	if s.Columns < leastFolded {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if Cells(line) > s.Columns {
			lines[i] = s.foldLine(line)
		}
	}
	return strings.Join(lines, "\n")
}

func (s Style) foldLine(line string) string {
	body := strings.TrimLeft(line, " ")
	margin := line[:len(line)-len(body)]
	hang := margin + "  "
	var b strings.Builder
	b.WriteString(margin)
	used, begun := len(margin), false
	for gap, word := range s.words(body) {
		width := Cells(word)
		switch {
		case begun && used+len(gap)+width > s.Columns && len(hang)+width <= s.Columns:
			b.WriteString("\n" + hang)
			used = len(hang)
		case begun:
			b.WriteString(gap)
			used += len(gap)
		}
		b.WriteString(word)
		used, begun = used+width, true
	}
	return b.String()
}

// words yields what may not be broken, each with the blanks before it: a word with a
// separator after it, or all between two backticks.
func (s Style) words(line string) iter.Seq2[string, string] {
	return func(yield func(gap, word string) bool) {
		for line != "" {
			rest := strings.TrimLeft(line, " ")
			gap := line[:len(line)-len(rest)]
			end := wordEnd(rest)
			if dot := strings.TrimRight(s.Symbols(" · "), " "); strings.HasPrefix(rest[end:], dot+" ") {
				end += len(dot)
			}
			if !yield(gap, rest[:end]) {
				return
			}
			line = rest[end:]
		}
	}
}

// wordEnd returns the length of the first word of a text. Blanks between backticks do not
// end one.
func wordEnd(text string) int {
	quoted := false
	for i, r := range text {
		switch {
		case r == '`' && (quoted || strings.ContainsRune(text[i+1:], '`')):
			quoted = !quoted
		case r == ' ' && !quoted:
			return i
		}
	}
	return len(text)
}

// Cells counts the columns of a text, see [Style.Cut].
func Cells(text string) int { return cellsOf(prose.Plain(text)) }
