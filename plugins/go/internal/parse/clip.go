package parse

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// maxMessage bounds one message; of longer ones the beginning and the end are kept.
	maxMessage = 4 << 10
	// maxDiff bounds each part of a diff.
	maxDiff = 8 << 10
	// maxExcerpt is the number of lines of an excerpt: two screens.
	maxExcerpt = 64
	// maxExcerptLine bounds one line of it.
	maxExcerptLine = 1 << 10
	// linesBefore is how many lines precede the place of a failure: what the test logged
	// on its way.
	linesBefore = 12
)

// clip shortens a text to its beginning and end.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	note := fmt.Sprintf("\n[... %d bytes ...]\n", len(text)-limit)
	room := limit - len(note)
	return runeStart(text, room*3/4) + note + runeEnd(text, len(text)-room/4)
}

// runeStart returns the beginning of a text up to a limit, cut between runes.
func runeStart(text string, limit int) string {
	for limit > 0 && limit < len(text) && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:min(limit, len(text))]
}

func runeEnd(text string, from int) string {
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from:]
}

// collapseEmptyLines collapses runs of empty lines.
func collapseEmptyLines(text string) string {
	for strings.Contains(text, "\n\n\n") {
		text = strings.ReplaceAll(text, "\n\n\n", "\n\n")
	}
	return text
}

// excerptAround returns the lines around an index.
func excerptAround(lines []line, around int) (text string, truncated bool) {
	from := max(0, around-linesBefore)
	to := min(len(lines), from+maxExcerpt)
	from = max(0, to-maxExcerpt)
	var b strings.Builder
	for _, l := range lines[from:to] {
		b.WriteString(runeStart(l.text, maxExcerptLine))
		if len(l.text) > maxExcerptLine {
			b.WriteString(" [...]")
			truncated = true
		}
		b.WriteByte('\n')
		truncated = truncated || l.kind == lineGap
	}
	return b.String(), truncated || from > 0 || to < len(lines)
}
