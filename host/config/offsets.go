package config

import (
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// maxDepth is how deep a blamed key can be: deeper ones are in a table that is unknown
// itself.
const maxDepth = 3

// offsets maps the path of each key to its first offset.
type offsets map[string]int

// pathOf joins a key's elements, which may contain dots.
func pathOf(elements ...string) string { return strings.Join(elements, "\x00") }

// keyOffsets finds the keys of a valid text. The decoder does not report where a value
// came from, but its parser does.
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

// noteValue records a key, and those of an inline table that is its value.
func (o offsets) noteValue(table []string, node *unstable.Node) {
	key := o.note(table, node.Key())
	if value := node.Value(); value.Kind == unstable.InlineTable && len(key) < maxDepth {
		for inner := value.Children(); inner.Next(); {
			o.noteValue(key, inner.Node())
		}
	}
}

// note records each element of a dotted key up to maxDepth, and returns the whole.
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
