package mcpconfig

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// decodeTOML decodes a document.
func decodeTOML(data []byte) (map[string]any, error) {
	doc := map[string]any{}
	err := toml.Unmarshal(data, &doc)
	if err == nil {
		return doc, nil
	}
	line := 0
	if decode, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ = decode.Position()
	}
	return nil, refuse(line, "it is not TOML: %s; repair it, or add the entry by hand", strings.TrimPrefix(err.Error(), "toml: "))
}

// tomlTable formats the fields as the table at a path.
func tomlTable(path []string, fields []field, newline string) string {
	var b strings.Builder
	b.WriteString("[" + strings.Join(path, ".") + "]" + newline)
	for _, f := range fields {
		b.WriteString(tomlLine(f) + newline)
	}
	return b.String()
}

func tomlLine(f field) string { return f.key + " = " + literal(f.value) }

// setTOML sets the fields of the table at a path, or adds that table at the end. It
// only changes a table with its own header: the other notations were written by hand.
func setTOML(data []byte, path []string, fields []field) ([]byte, error) {
	t, err := scanTOML(data, path)
	if err != nil {
		return nil, err
	}
	newline := newlineOf(data)
	if !t.found {
		if t.line > 0 {
			return nil, refuse(t.line, "it has %s in a notation that is not edited here; add the entry by hand", strings.Join(path, "."))
		}
		gap := newline
		if !bytes.HasSuffix(data, []byte("\n")) {
			gap += newline
		}
		return append(bytes.Clone(data), gap+tomlTable(path, fields, newline)...), nil
	}
	var edits []edit
	var missing string
	for _, f := range fields {
		old, ok := t.values[f.key]
		switch {
		case !ok:
			missing += newline + tomlLine(f)
		case !old.says(f):
			edits = append(edits, edit{old.start, old.end, tomlLine(f)})
		}
	}
	if missing != "" {
		edits = append(edits, edit{t.end, t.end, missing})
	}
	return apply(data, edits), nil
}

// tomlEntry is where the table at a path is in a text.
type tomlEntry struct {
	found bool
	// line is that of another notation for the same table, or 0.
	line int
	// end is the end of the table's last line, without its line break.
	end    int
	values map[string]tomlValue
}

// tomlValue is one "key = value" in the text.
type tomlValue struct {
	start, end int
	text       string
}

func (v tomlValue) says(f field) bool {
	doc := map[string]any{}
	return toml.Unmarshal([]byte(v.text), &doc) == nil && isSame(doc[f.key], f.value)
}

func scanTOML(data []byte, path []string) (tomlEntry, error) {
	t := tomlEntry{values: map[string]tomlValue{}}
	var p unstable.Parser
	p.Reset(data)
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		key, last := keyOf(e)
		line := p.Shape(last).Start.Line
		end := int(last.Offset + last.Length)
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = key
			if slices.Equal(key, path) && e.Kind == unstable.Table {
				t.found, t.end = true, lineEnd(data, end)
			} else if t.line == 0 && len(key) > len(path) && slices.Equal(key[:len(path)], path) {
				t.line = line // a table below ours, which may lack a header of its own
			}
		case unstable.KeyValue:
			full := slices.Concat(table, key)
			start, end := int(e.Raw.Offset), int(e.Raw.Offset+e.Raw.Length)
			switch {
			case slices.Equal(table, path):
				t.end = lineEnd(data, end)
				if len(key) == 1 {
					text := strings.TrimRight(string(data[start:end]), " \t")
					t.values[key[0]] = tomlValue{start, start + len(text), text}
				}
			case t.line == 0 && overlap(full, path):
				t.line = line
			}
		}
	}
	if err := p.Error(); err != nil {
		return t, refuse(0, "it is not TOML: %v", err)
	}
	return t, nil
}

// overlap reports whether a value with this key is ours, or contains ours.
func overlap(key, path []string) bool {
	n := min(len(key), len(path))
	return slices.Equal(key[:n], path[:n])
}

// keyOf returns the key of an expression, and where its last part is.
func keyOf(e *unstable.Node) (key []string, last unstable.Range) {
	for it := e.Key(); it.Next(); {
		key = append(key, string(it.Node().Data))
		last = it.Node().Raw
	}
	return key, last
}

// lineEnd returns the end of the line at an offset, without its line break.
func lineEnd(data []byte, offset int) int {
	i := bytes.IndexByte(data[offset:], '\n')
	if i < 0 {
		return len(data)
	}
	end := offset + i
	if end > 0 && data[end-1] == '\r' {
		end--
	}
	return end
}
