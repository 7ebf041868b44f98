package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/prose"
)

const (
	// maxDepth bounds nesting. The documents have five levels; the rest is for fields
	// of a later proctor.
	maxDepth = 32
	// maxMembers bounds the members of an object: the names seen are kept in memory. It
	// is more versions than anybody publishes.
	maxMembers = 1 << 16
)

// Reader reads a document from start to end. Each method reads one value.
type Reader struct {
	data   []byte
	dec    *json.Decoder
	path   []string
	depth  int
	strict bool
	// visit, if not nil, is called with each field before its value is read.
	visit func(field string)
}

// Fields says how to read the value of each known field of an object.
type Fields map[string]func() error

// Read reads a document of at most max bytes, which is one value. Its own errors are an
// [*Error].
func Read(data []byte, max int, read func(*Reader) error) error {
	r := &Reader{data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	r.dec.UseNumber()
	if err := r.whole(max); err != nil {
		return err
	}
	return read(r)
}

// Strict makes unknown fields errors, for callers that will write the document again
// and would lose them.
func (r *Reader) Strict() { r.strict = true }

// Object reads an object, ignoring unknown fields.
func (r *Reader) Object(fields Fields) error {
	return r.Map(func(key string) error {
		if read, known := fields[key]; known {
			return read()
		}
		for known := range fields {
			if strings.EqualFold(known, key) {
				return r.Fail("must be written " + known + ", since some readers ignore the case")
			}
		}
		if r.strict {
			return r.Fail("is not known to this proctor, and would be lost: upgrade proctor")
		}
		return r.Skip()
	})
}

// Map reads an object with arbitrary keys. member reads the value of one.
func (r *Reader) Map(member func(key string) error) error {
	if err := r.open('{', "an object"); err != nil {
		return err
	}
	seen := map[string]bool{}
	for r.dec.More() {
		token, err := r.dec.Token()
		if err != nil {
			return r.Fail(err.Error())
		}
		key := token.(string) // guaranteed by the decoder
		r.path = append(r.path, key)
		switch {
		case seen[key]:
			return r.Fail("appears twice")
		case len(seen) == maxMembers:
			return r.Fail(fmt.Sprintf("is the member after %d others, and no object may have more", maxMembers))
		}
		seen[key] = true
		if r.visit != nil {
			r.visit(Path(r.path...))
		}
		if err := member(key); err != nil {
			return err
		}
		r.path = r.path[:len(r.path)-1]
	}
	return r.end()
}

// List reads an array. element reads one of its values.
func (r *Reader) List(element func() error) error {
	if err := r.open('[', "a list"); err != nil {
		return err
	}
	for n := 0; r.dec.More(); n++ {
		r.path = append(r.path, strconv.Itoa(n))
		if err := element(); err != nil {
			return err
		}
		r.path = r.path[:len(r.path)-1]
	}
	return r.end()
}

// Text reads a string into a variable.
func (r *Reader) Text(into *string) error {
	token, err := r.dec.Token()
	if err != nil {
		return r.Fail(err.Error())
	}
	text, ok := token.(string)
	if !ok {
		return r.wrong("a text", token)
	}
	*into = text
	return nil
}

// Number reads a whole number into a variable.
func (r *Reader) Number(into *int) error {
	token, err := r.dec.Token()
	if err != nil {
		return r.Fail(err.Error())
	}
	number, ok := token.(json.Number)
	if !ok {
		return r.wrong("a whole number", token)
	}
	n, err := strconv.Atoi(number.String())
	if err != nil {
		return r.Fail("must be a whole number, and is " + prose.Quote(number.String()))
	}
	*into = n
	return nil
}

// Skip skips any value. Errors within it still count.
func (r *Reader) Skip() error {
	start, err := r.peek()
	switch {
	case err != nil:
		return err
	case start == '{':
		return r.Map(func(string) error { return r.Skip() })
	case start == '[':
		return r.List(r.Skip)
	}
	if _, err := r.dec.Token(); err != nil {
		return r.Fail(err.Error())
	}
	return nil
}

// Fail returns an error at the field being read.
func (r *Reader) Fail(reason string) error {
	return &Error{Field: Path(r.path...), Line: r.line(), Reason: reason}
}

func (r *Reader) open(delim json.Delim, what string) error {
	token, err := r.dec.Token()
	if err != nil {
		return r.Fail(err.Error())
	}
	if token != delim {
		return r.wrong(what, token)
	}
	if r.depth++; r.depth > maxDepth {
		return r.Fail(fmt.Sprintf("is nested more than %d levels deep", maxDepth))
	}
	return nil
}

func (r *Reader) end() error {
	r.depth--
	if _, err := r.dec.Token(); err != nil {
		return r.Fail(err.Error())
	}
	return nil
}

// peek returns the first byte of the next value.
func (r *Reader) peek() (byte, error) {
	at := int(r.dec.InputOffset())
	rest := bytes.TrimLeft(r.data[at:], " \t\r\n:,")
	if len(rest) == 0 {
		return 0, r.Fail("is incomplete")
	}
	return rest[0], nil
}

func (r *Reader) wrong(want string, token json.Token) error {
	is := "nothing (null)"
	switch t := token.(type) {
	case json.Delim:
		is = map[json.Delim]string{'{': "an object", '[': "a list"}[t]
	case string:
		is = "the text " + prose.Quote(t)
	case json.Number:
		is = "the number " + t.String()
	case bool:
		is = strconv.FormatBool(t)
	}
	return r.Fail("must be " + want + ", and is " + is)
}

// Line returns the line of a field in a readable document. For a missing field it is
// that of the object which lacks it.
func Line(data []byte, field string) int {
	keys := strings.Split(field, ".")
	found, depth := 1, 0
	_ = Read(data, len(data), func(r *Reader) error {
		r.visit = func(at string) {
			passed := strings.Split(at, ".")
			if n := len(passed); n > depth && n <= len(keys) && slices.Equal(passed, keys[:n]) {
				found, depth = r.line(), n
			}
		}
		return r.Skip()
	})
	return found
}

func (r *Reader) line() int { return lineAt(r.data, int(r.dec.InputOffset())) }

func lineAt(data []byte, at int) int {
	return 1 + bytes.Count(data[:min(at, len(data))], []byte("\n"))
}

// whole checks the document as a whole.
func (r *Reader) whole(max int) error {
	switch {
	case len(r.data) > max:
		return &Error{Line: 1, Reason: fmt.Sprintf("has more than %d bytes", max)}
	case len(bytes.TrimSpace(r.data)) == 0:
		return &Error{Line: 1, Reason: "is empty"}
	case bytes.HasPrefix(r.data, []byte("\ufeff")):
		return &Error{Line: 1, Reason: "begins with a byte order mark, which JSON does not have: remove it"}
	case !utf8.Valid(r.data):
		return &Error{Line: lineAt(r.data, prose.InvalidAt(r.data)), Reason: "is not UTF-8"}
	}
	err := json.Unmarshal(r.data, new(json.RawMessage))
	if err == nil {
		return nil
	}
	at := len(r.data)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = int(syntax.Offset)
	}
	return &Error{Line: lineAt(r.data, at), Reason: "is not JSON: " + err.Error()}
}

// Write formats a value canonically: indented by two spaces, map keys sorted, <, > and
// & unescaped, and a final newline. Its types must be encodable.
func Write(value any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		return nil
	}
	return b.Bytes()
}

// TextFault says what is wrong with a text for people, or nothing: it must be one line
// of at most max bytes, without characters that hide or reorder others.
func TextFault(text string, max int) string {
	switch {
	case len(text) > max:
		return fmt.Sprintf("has %d bytes; the limit is %d", len(text), max)
	case !utf8.ValidString(text):
		return "is not UTF-8"
	case strings.ContainsFunc(text, deceives):
		return "has control characters: " + prose.Quote(text)
	}
	return ""
}

func deceives(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}
