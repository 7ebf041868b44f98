package mcpconfig

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/proctorhq/proctor/internal/lazyregexp"
)

// parseJSON parses JSON with comments and trailing commas, as the clients do. Its
// offsets count from after a byte order mark.
func parseJSON(data []byte) (hujson.Value, error) {
	if i := invalidUTF8(data); i >= 0 { // hujson accepts such strings
		return hujson.Value{}, refuse(lineOf(data, i), "it is not UTF-8; repair it, or add the entry by hand")
	}
	v, err := hujson.Parse(data)
	if err != nil {
		line, reason := jsonLine(err)
		return v, refuse(line, "it is not JSON: %s; repair it, or add the entry by hand", reason)
	}
	return v, nil
}

var hujsonError = lazyregexp.New(`^hujson: line (\d+), column \d+: `)

// jsonLine extracts the line from an error of hujson, which has it only in its text.
func jsonLine(err error) (line int, reason string) {
	text := err.Error()
	if m := hujsonError.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
	}
	return line, text
}

// invalidUTF8 returns the offset of the first invalid UTF-8, or -1.
func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// decodeJSON decodes an object.
func decodeJSON(data []byte) (map[string]any, error) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	v, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return nil, refuse(lineOf(data, v.StartOffset), "it is not a JSON object")
	}
	v = v.Clone()
	v.Standardize()
	doc := map[string]any{}
	dec := json.NewDecoder(bytes.NewReader(v.Pack()))
	dec.UseNumber() // so that comparing does not round a user's number
	if err := dec.Decode(&doc); err != nil {
		return nil, refuse(0, "it is not JSON: %v", err)
	}
	return doc, nil
}

func lineOf(data []byte, offset int) int { return 1 + bytes.Count(data[:offset], []byte("\n")) }

// setJSON sets the fields of the object at a path, creating what is missing.
func setJSON(file []byte, path []string, fields []field) ([]byte, error) {
	data := bytes.TrimPrefix(file, byteOrderMark)
	root, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	j := jsonEditor{data: data, style: styleOf(data, root)}
	at := root
	for i, key := range path {
		obj, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil, refuse(lineOf(data, at.StartOffset), "what it has under %s is not an object; repair it, or add the entry by hand", strings.Join(path[:i], "."))
		}
		next, err := j.member(obj, key)
		if err != nil {
			return nil, err
		}
		if next == nil {
			j.insert(at, obj, func(indent string) []string { return []string{j.style.member(path[i:], fields, indent)} })
			return j.result(file), nil
		}
		at = *next
	}
	entry, ok := at.Value.(*hujson.Object)
	if !ok {
		return nil, refuse(lineOf(data, at.StartOffset), "what it has under %s is not an object; repair it, or add the entry by hand", strings.Join(path, "."))
	}
	var missing []string
	for _, f := range fields {
		old, err := j.member(entry, f.key)
		switch {
		case err != nil:
			return nil, err
		case old == nil:
			missing = append(missing, literal(f.key)+": "+literal(f.value))
		case !j.says(*old, f.value):
			j.edits = append(j.edits, edit{old.StartOffset, old.EndOffset, literal(f.value)})
		}
	}
	if len(missing) > 0 {
		j.insert(at, entry, func(string) []string { return missing })
	}
	return j.result(file), nil
}

// jsonEditor collects the changes to a text.
type jsonEditor struct {
	data  []byte
	style jsonStyle
	edits []edit
}

// member returns the value of a key. It refuses a duplicate key: clients differ in
// which one they use.
func (j *jsonEditor) member(obj *hujson.Object, key string) (*hujson.Value, error) {
	var found *hujson.Value
	for i := range obj.Members {
		m := &obj.Members[i]
		if name, ok := m.Name.Value.(hujson.Literal); !ok || name.String() != key {
			continue
		}
		if found != nil {
			return nil, refuse(lineOf(j.data, m.Name.StartOffset), "it has %q twice; remove one", key)
		}
		found = &m.Value
	}
	return found, nil
}

// says reports whether a value in the text already equals ours.
func (j *jsonEditor) says(v hujson.Value, value any) bool {
	v = v.Clone()
	v.BeforeExtra, v.AfterExtra = nil, nil
	v.Standardize()
	dec := json.NewDecoder(bytes.NewReader(v.Pack()))
	dec.UseNumber()
	var decoded any
	return dec.Decode(&decoded) == nil && isSame(decoded, value)
}

// insert adds members at the end of an object.
func (j *jsonEditor) insert(at hujson.Value, obj *hujson.Object, members func(indent string) []string) {
	closing := at.EndOffset - 1
	end := len(bytes.TrimRight(j.data[:closing], " \t\r\n"))
	first := at.StartOffset
	style := j.style
	base := lineIndent(j.data, first)
	indent := base + style.unit
	comma := "" // after the last of ours, if the user has one, too
	if n := len(obj.Members); n > 0 {
		if own, alone := lineStart(j.data, obj.Members[0].Name.StartOffset); alone {
			indent = own
		}
		if last := obj.Members[n-1].Value; last.AfterExtra == nil {
			j.edits = append(j.edits, edit{last.EndOffset, last.EndOffset, ","})
		} else {
			comma = ","
		}
	}
	if !bytes.ContainsRune(j.data[first:closing], '\n') && (len(obj.Members) > 0 || style.compact) {
		j.style.compact = true
		text := strings.Join(members(""), ", ") + comma
		if len(obj.Members) > 0 {
			text = " " + text
		}
		j.edits = append(j.edits, edit{end, end, text})
		return
	}
	start := style.newline + indent
	e := edit{end, end, start + strings.Join(members(indent), ","+start) + comma}
	if !bytes.ContainsRune(j.data[end:closing], '\n') {
		e.end, e.text = closing, e.text+style.newline+base
	}
	j.edits = append(j.edits, e)
}

// result returns the text with its changes.
func (j *jsonEditor) result(file []byte) []byte {
	mark := file[:len(file)-len(j.data)]
	return append(bytes.Clone(mark), apply(j.data, j.edits)...)
}
