package screen

import (
	"strings"
	"unicode/utf8"
)

// firstWide is the first character that takes, or might take, two columns: East Asian
// ones and pictures, see Unicode Standard Annex 11.
const firstWide = 0x1100

func cellsOf(r rune) int {
	if r >= firstWide && !(r >= 0x2010 && r < 0x2e80) { // punctuation, arrows, lines
		return 2
	}
	return 1
}

// escape returns the length of the color sequence that a text begins with; 0 if it
// does not. There are no others: see [prose.Plain].
func escape(text string) int {
	if !strings.HasPrefix(text, "\x1b[") {
		return 0
	}
	return strings.IndexByte(text, 'm') + 1
}

// wrap breaks a text into lines of at most so many columns, at a space if there is a late
// one. Each line restores the colors.
func wrap(text string, columns int) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		line = strings.ReplaceAll(line, "\t", "    ")
		var b strings.Builder
		used, color := 0, ""
		spaceAt, afterSpace, colorThere := 0, "", "" // where the line may be broken
		for line != "" {
			if n := escape(line); n > 0 {
				color = line[:n]
				b.WriteString(color)
				line = line[n:]
				continue
			}
			r, size := utf8.DecodeRuneInString(line)
			if used+cellsOf(r) > columns {
				begun := b.String()
				if spaceAt > columns/2 {
					begun, line, color = begun[:spaceAt], afterSpace, colorThere
				}
				lines = append(lines, begun+reset(color))
				b.Reset()
				b.WriteString(color)
				used, spaceAt = 0, 0
				continue
			}
			if r == ' ' {
				spaceAt, afterSpace, colorThere = b.Len(), line[1:], color
			}
			b.WriteString(line[:size])
			used += cellsOf(r)
			line = line[size:]
		}
		lines = append(lines, b.String()+reset(color))
	}
	return lines
}

const resetColor = "\x1b[0m"

func reset(color string) string {
	if color == "" || color == resetColor {
		return ""
	}
	return resetColor
}

// cells counts the columns that a line takes.
func cells(line string) int {
	n := 0
	for line != "" {
		if k := escape(line); k > 0 {
			line = line[k:]
			continue
		}
		r, size := utf8.DecodeRuneInString(line)
		n += cellsOf(r)
		line = line[size:]
	}
	return n
}

// tail returns the end of a line without colors that fits into so many columns.
func tail(line string, columns int) string {
	if cells(line) <= columns {
		return line
	}
	at := len(line)
	for used := 1; at > 0; {
		r, size := utf8.DecodeLastRuneInString(line[:at])
		if used += cellsOf(r); used > columns {
			break
		}
		at -= size
	}
	return "…" + line[at:]
}
