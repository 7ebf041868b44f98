package libtest

import "strings"

// section collects what one failed test printed, in bounded memory.
type section struct {
	test      string
	head      strings.Builder
	tail      []string
	tailBytes int
	truncated bool
}

func (s *section) add(line string) {
	if len(s.tail) == 0 && s.head.Len()+len(line) < maxHead {
		s.head.WriteString(line)
		s.head.WriteByte('\n')
		return
	}
	if len(line) > maxTail {
		line, s.truncated = line[len(line)-maxTail:], true
	}
	s.tail = append(s.tail, line)
	s.tailBytes += len(line) + 1
	for s.tailBytes > maxTail && len(s.tail) > 1 {
		s.tailBytes -= len(s.tail[0]) + 1
		s.tail[0] = ""
		s.tail, s.truncated = s.tail[1:], true
	}
}

func (s *section) end() Section {
	text := s.head.String()
	if s.truncated {
		text += "[...]\n"
	}
	text += strings.Join(s.tail, "\n")
	return Section{Test: s.test, Text: strings.Trim(text, "\n"), Truncated: s.truncated}
}
