package mcpconfig

import "slices"

// edit replaces the bytes from start to end.
type edit struct {
	start, end int
	text       string
}

// apply makes edits that do not overlap. Those at the same place apply in the given
// order.
func apply(data []byte, edits []edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, data[at:e.start]...), e.text...)
		at = e.end
	}
	return append(out, data[at:]...)
}
