package coverage

import "bytes"

// Range is a range of lines, from 1, inclusive.
type Range struct{ First, Last int }

// HashLines hashes the lines of a text without their ends, \n or \r\n. Text after the
// last end is a line.
func HashLines(text []byte) []uint32 {
	if len(text) == 0 {
		return nil
	}
	lines := make([]uint32, 0, bytes.Count(text, []byte{'\n'})+1)
	for len(text) > 0 {
		line, rest, ended := bytes.Cut(text, []byte{'\n'})
		if ended {
			line = bytes.TrimSuffix(line, []byte{'\r'})
		}
		lines, text = append(lines, hashLine(line)), rest
	}
	return lines
}

// hashLine is 64-bit FNV-1a, folded. The result is stored, so a seeded hash will not
// do.
func hashLine(line []byte) uint32 {
	h := uint64(14695981039346656037)
	for _, b := range line {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return uint32(h>>32) ^ uint32(h)
}
