package config

import (
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// maxDepth is how deep a key lies that can be to blame: deeper ones lie in a
// table that is unknown itself.
const maxDepth = 2

// offsets tells where each key stands first, by its path.
type offsets map[string]int

// pathOf makes one word of a key's elements, which may contain dots.
func pathOf(elements ...string) string { return strings.Join(elements, "\x00") }

// keyOffsets finds the keys of a valid text. The decoder does not tell where a
// value came from; the parser below it does.
func keyOffsets(data []byte) offsets {
	all := offsets{}
	var parser unstable.Parser
	parser.Reset(data)
	var table []string
	for parser.NextExpression() {
		switch node := parser.Expression(); node.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = all.note(nil, node.Key())
		case unstable.KeyValue:
			all.noteValue(table, node)
		}
	}
	return all
}

// noteValue notes a key, and those of an inline table that is its value.
func (o offsets) noteValue(table []string, node *unstable.Node) {
	key := o.note(table, node.Key())
	if value := node.Value(); value.Kind == unstable.InlineTable && len(key) < maxDepth {
		for inner := value.Children(); inner.Next(); {
			o.noteValue(key, inner.Node())
		}
	}
}

// note notes each element of a dotted key, as far as it counts, and returns the
// whole.
func (o offsets) note(table []string, elements unstable.Iterator) []string {
	key := append([]string(nil), table...)
	for len(key) < maxDepth && elements.Next() {
		node := elements.Node()
		key = append(key, string(node.Data))
		if path := pathOf(key...); !o.has(path) {
			o[path] = int(node.Raw.Offset)
		}
	}
	return key
}

func (o offsets) has(path string) bool {
	_, known := o[path]
	return known
}
