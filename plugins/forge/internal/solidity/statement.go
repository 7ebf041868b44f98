package solidity

import "bytes"

// Statement is the extent of the code that begins on a line. Lines and columns count
// from 1, columns in bytes; EndColumn is exclusive.
type Statement struct {
	StartLine, StartColumn, EndLine, EndColumn int
}

// Statements returns how far the code extends that begins on each of the lines, which
// must be sorted: to the end of the last statement that begins on the line, for a
// declaration with a body to its opening brace, and at most to the next of the lines.
// For a line beyond the source it is one column.
func Statements(src []byte, lines []int) []Statement {
	starts := lineStarts(src)
	statements := make([]Statement, 0, len(lines))
	for i, line := range lines {
		if line > len(starts) {
			statements = append(statements, Statement{StartLine: line, StartColumn: 1, EndLine: line, EndColumn: 2})
			continue
		}
		limit := len(src)
		if i+1 < len(lines) && lines[i+1] <= len(starts) {
			limit = starts[lines[i+1]-1]
		}
		statements = append(statements, statementAt(src[:limit], starts, line))
	}
	return statements
}

// statementAt handles one line; src ends where the next one begins.
func statementAt(src []byte, starts []int, line int) Statement {
	s := &scanner{src: src, at: starts[line-1]}
	lineEnd := len(src)
	if n := bytes.IndexByte(src[s.at:], '\n'); n >= 0 {
		lineEnd = s.at + n
	}
	found := Statement{StartLine: line, StartColumn: 1, EndLine: line, EndColumn: max(lineEnd-s.at, 1) + 1}
	depth, stop, begun := 0, -1, false
	for {
		tok := s.next()
		if tok.kind == end || stop >= 0 && tok.start >= lineEnd {
			break
		}
		if !begun && tok.start < lineEnd {
			found.StartColumn, begun = tok.start-starts[line-1]+1, true
		}
		ended := false
		if tok.kind == mark {
			switch tok.mark {
			case '(', '[':
				depth++
			case ')', ']':
				depth--
			case '{', '}':
				// The braces of named arguments are within parentheses.
				ended = depth <= 0
			case ';':
				ended = depth <= 0
			}
		}
		if ended {
			stop, depth = tok.stop, 0
			if tok.stop >= lineEnd {
				break
			}
		} else if tok.start < lineEnd {
			stop = -1 // another statement begins on the line
		}
	}
	if stop < 0 {
		return found
	}
	for found.EndLine < len(starts) && starts[found.EndLine] < stop {
		found.EndLine++
	}
	found.EndColumn = stop - starts[found.EndLine-1] + 1
	return found
}

// lineStarts returns the offsets at which lines begin.
func lineStarts(src []byte) []int {
	starts := []int{0}
	for i, c := range src {
		if c == '\n' && i+1 < len(src) {
			starts = append(starts, i+1)
		}
	}
	return starts
}
