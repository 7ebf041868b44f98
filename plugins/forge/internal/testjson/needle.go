package testjson

import "bytes"

// needle searches for a text in a line that arrives in pieces.
type needle struct {
	text  string
	tail  []byte // the end of the preceding pieces, shorter than the text
	found bool
}

// feed searches the next piece.
func (n *needle) feed(p []byte) {
	if n.found {
		return
	}
	keep := len(n.text) - 1
	seam := append(n.tail, p[:min(len(p), keep)]...)
	n.found = bytes.Contains(seam, []byte(n.text)) || bytes.Contains(p, []byte(n.text))
	if len(p) >= keep {
		seam = append(n.tail[:0], p[len(p)-keep:]...)
	}
	n.tail = append(n.tail[:0], seam[max(0, len(seam)-keep):]...)
}

func (n *needle) reset() { n.tail, n.found = n.tail[:0], false }
