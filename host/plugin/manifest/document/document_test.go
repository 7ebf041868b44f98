package document

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// sample is a document with a field of each kind.
type sample struct {
	text    string
	number  int
	list    []string
	objects map[string]int
}

func readSample(data string, max int, strict bool) (sample, error) {
	var s sample
	err := Read([]byte(data), max, func(r *Reader) error {
		if strict {
			r.Strict()
		}
		return r.Object(Fields{
			"text":   func() error { return r.Text(&s.text) },
			"number": func() error { return r.Number(&s.number) },
			"list": func() error {
				return r.List(func() error {
					var element string
					err := r.Text(&element)
					s.list = append(s.list, element)
					return err
				})
			},
			"objects": func() error {
				s.objects = map[string]int{}
				return r.Map(func(key string) error {
					var n int
					err := r.Object(Fields{"n": func() error { return r.Number(&n) }})
					s.objects[key] = n
					return err
				})
			},
		})
	})
	return s, err
}

const sampleSize = 4096

func TestADocumentIsReadWithWhatIsNotKnownInIt(t *testing.T) {
	s, err := readSample(`{"text": "a\u00e9", "later": {"x": [1, {"y": null}, true, "z"]}, "number": -7,
		"list": ["b", "c"], "objects": {"d": {"n": 1}, "e": {"more": [], "n": 2}}}`, sampleSize, false)
	if err != nil {
		t.Fatal(err)
	}
	if s.text != "aé" || s.number != -7 || strings.Join(s.list, "") != "bc" || s.objects["d"] != 1 || s.objects["e"] != 2 {
		t.Errorf("%+v", s)
	}
}

func TestADocumentThatTwoReadersCouldReadDifferentlyIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		data, field, reason string
		line                int
	}{
		"a key twice":                  {"{\"text\": \"a\",\n\"text\": \"b\"}", "text", "twice", 2},
		"a key twice, once escaped":    {`{"text": "a", "\u0074ext": "b"}`, "text", "twice", 1},
		"an unknown key twice":         {`{"x": {"y": 1, "y": 1}}`, "x.y", "twice", 1},
		"a key twice in a list":        {`{"x": [0, {"y": 1, "y": 1}]}`, "x.1.y", "twice", 1},
		"a key in capitals":            {"{\n\n\"TEXT\": \"a\"}", "TEXT", "must be written text", 3},
		"a key with a letter like s":   {`{"liſt": []}`, "liſt", "must be written list", 1},
		"an inner key in capitals":     {`{"objects": {"a": {"N": 1}}}`, "objects.a.N", "must be written n", 1},
		"something behind the end":     {"{}\n{}", "", "is not JSON", 2},
		"nothing":                      {" \n", "", "is empty", 1},
		"a byte order mark":            {"\ufeff{}", "", "byte order mark", 1},
		"bytes that are not UTF-8":     {"{\n\"text\": \"\xff\"}", "", "is not UTF-8", 2},
		"a comma at the end":           {"{\"text\": \"a\",\n}", "", "is not JSON", 2},
		"half a document":              {"{\"text\":\n", "", "is not JSON", 2},
		"a comment":                    {"{ // x\n}", "", "is not JSON", 1},
		"null for a text":              {`{"text": null}`, "text", "must be a text, and is nothing", 1},
		"a number for a text":          {`{"text": 1}`, "text", "must be a text, and is the number 1", 1},
		"a text for a number":          {`{"number": "1"}`, "number", `must be a whole number, and is the text "1"`, 1},
		"a fraction":                   {`{"number": 1.0}`, "number", "must be a whole number", 1},
		"a number with an exponent":    {`{"number": 1e0}`, "number", "must be a whole number", 1},
		"a number that is too large":   {`{"number": 99999999999999999999}`, "number", "must be a whole number", 1},
		"an object for a list":         {`{"list": {}}`, "list", "must be a list, and is an object", 1},
		"a list for an object":         {`{"objects": []}`, "objects", "must be an object, and is a list", 1},
		"true for an object":           {`{"objects": {"a": true}}`, "objects.a", "must be an object, and is true", 1},
		"a list at the top":            {`[]`, "", "must be an object", 1},
		"a deep value":                 {`{"x": ` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, "", "levels deep", 1},
		"more than there may be":       {`{"text": "` + strings.Repeat("a", sampleSize) + `"}`, "", "more than 4096 bytes", 1},
		"a key that a terminal obeys":  {`{"objects": {"\u001b[2J": 1}}`, `objects."\x1b[2J"`, "must be an object", 1},
		"a text that a terminal obeys": {`{"number": "\u001b[2J"}`, "number", `"\x1b[2J"`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readSample(c.data, sampleSize, false)
			fault, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("%q was read: %v", c.data, err)
			}
			if c.field != "" && fault.Field != c.field || !strings.Contains(fault.Reason, c.reason) || fault.Line != c.line {
				t.Errorf("%q: line %d, %s: %s", c.data, fault.Line, fault.Field, fault.Reason)
			}
			if len(fault.Error()) > 500 {
				t.Errorf("the message has %d bytes", len(fault.Error()))
			}
		})
	}
}

func TestAStrictReaderRefusesWhatItWouldLose(t *testing.T) {
	_, err := readSample(`{"text": "a", "objects": {"b": {"n": 1, "later": 2}}}`, sampleSize, true)
	if fault, ok := errors.AsType[*Error](err); !ok || fault.Field != "objects.b.later" {
		t.Error(err)
	}
	if _, err := readSample(`{"text": "a", "objects": {"b": {"n": 1}}}`, sampleSize, true); err != nil {
		t.Error(err)
	}
}

func TestAnObjectMayNotHaveMoreMembersThanAreKept(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"x": {"first": 0`)
	for n := range maxMembers {
		fmt.Fprintf(&b, `,"%d":0`, n)
	}
	b.WriteString(`}}`)
	_, err := readSample(b.String(), b.Len(), false)
	if fault, ok := errors.AsType[*Error](err); !ok || !strings.Contains(fault.Reason, "no object may have more") {
		t.Error(err)
	}
}

func TestTheLineOfAFieldIsFound(t *testing.T) {
	data := []byte("{\n \"a\": {\n  \"b\": 1,\n  \"c\": [\n   {\"d\": 2}]},\n \"b\": 3\n}")
	for field, want := range map[string]int{"": 1, "a": 2, "a.b": 3, "a.c.0.d": 5, "b": 6, "a.missing": 2, "missing": 1, "b.missing": 6} {
		if got := Line(data, field); got != want {
			t.Errorf("%q is in line %d, not %d", field, want, got)
		}
	}
}

func TestATextForPeopleIsOneShortPlainLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"Foundry (forge test) é 日本": "",
		"👩‍👩‍👧":                     "", // joined by a format character
		strings.Repeat("a", 20):     "",
		strings.Repeat("a", 51):     "has 51 bytes; the limit is 50",
		"\xff":                      "is not UTF-8",
		"a\nb":                      "has control characters",
		"a\x1b[2J":                  "has control characters",
		"a\u009bb":                  "has control characters",
		"a\u202eb":                  "has control characters",
		"a\u2028b":                  "has control characters",
	} {
		if got := TextFault(text, 50); got != want && (want == "" || !strings.HasPrefix(got, want)) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestADocumentIsWrittenForPeopleToo(t *testing.T) {
	got := string(Write(map[string]string{"b": "~> 1 & <2", "a": "é"}))
	if want := "{\n  \"a\": \"é\",\n  \"b\": \"~> 1 & <2\"\n}\n"; got != want {
		t.Errorf("%s", got)
	}
}

func TestPathsQuoteWhatIsNoPlainKey(t *testing.T) {
	if got, want := Path("a", "b c", "0.1", "", "\x1b", strings.Repeat("x", 99)), `a."b c"."0.1".""."\x1b"."`+strings.Repeat("x", 60)+`..."`; got != want {
		t.Errorf("%s", got)
	}
}
