package mcpconfig

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonStyle is the layout of a text, so that additions look like the rest.
type jsonStyle struct {
	unit, newline string
	// compact texts are on one line.
	compact bool
}

func styleOf(data []byte, root hujson.Value) jsonStyle {
	s := jsonStyle{unit: "  ", newline: newlineOf(data)}
	obj, ok := root.Value.(*hujson.Object)
	if !ok || len(obj.Members) == 0 {
		return s
	}
	s.compact = !bytes.ContainsRune(data[root.StartOffset:root.EndOffset], '\n')
	if own, alone := lineStart(data, obj.Members[0].Name.StartOffset); alone && own != "" {
		s.unit = own
	}
	return s
}

func newlineOf(data []byte) string {
	if bytes.Contains(data, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// lineStart returns the indentation of the line at an offset, and whether nothing else
// precedes the offset.
func lineStart(data []byte, offset int) (indent string, alone bool) {
	line := string(data[bytes.LastIndexByte(data[:offset], '\n')+1 : offset])
	rest := strings.TrimLeft(line, " \t")
	return line[:len(line)-len(rest)], rest == ""
}

func lineIndent(data []byte, offset int) string {
	indent, _ := lineStart(data, offset)
	return indent
}

// member formats the fields as the object at the end of a path of keys. The first key
// is the member's name; indent is that of its line.
func (s jsonStyle) member(path []string, fields []field, indent string) string {
	if s.compact {
		text := object(fields)
		for i := len(path) - 1; i > 0; i-- {
			text = "{" + literal(path[i]) + ": " + text + "}"
		}
		return literal(path[0]) + ": " + text
	}
	inner := s.newline + indent + s.unit
	var body string
	if len(path) > 1 {
		body = inner + s.member(path[1:], fields, indent+s.unit)
	} else {
		var lines []string
		for _, f := range fields {
			lines = append(lines, inner+literal(f.key)+": "+literal(f.value))
		}
		body = strings.Join(lines, ",")
	}
	return literal(path[0]) + ": {" + body + s.newline + indent + "}"
}
