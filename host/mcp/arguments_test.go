package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// everyKind is a tool with a parameter of each kind.
var everyKind = tool{name: "every_kind", params: []param{
	{name: "need", kind: "string", required: true},
	{name: "word", kind: "string", enum: []string{"one", "two"}},
	{name: "many", kind: "number"},
	{name: "yes", kind: "boolean"},
	{name: "list", kind: "array"},
	{name: "files", kind: "object"},
}}

func TestArgumentsAreTakenAsTheyCanOnlyHaveBeenMeant(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{"need":"x"}`:                `{"need":"x"}`,
		`{"need":"x","many":300}`:     `{"many":300,"need":"x"}`,
		`{"need":"x","many":"300"}`:   `{"many":300,"need":"x"}`,
		`{"need":"x","many":" 5.7 "}`: `{"many":5.7,"need":"x"}`,
		`{"need":"x","many":-5}`:      `{"many":-5,"need":"x"}`,
		`{"need":"x","many":1e308}`:   `{"many":1e+308,"need":"x"}`,
		`{"need":"x","many":null}`:    `{"need":"x"}`,
		// Some fill in everything.
		`{"need":"","word":"","many":"","yes":" ","list":"","files":""}`: `{"need":""}`,
		`{"need":"x","yes":"true"}`:                                      `{"need":"x","yes":true}`,
		`{"need":"x","yes":"FALSE"}`:                                     `{"need":"x","yes":false}`,
		`{"need":"x","list":["a"]}`:                                      `{"list":["a"],"need":"x"}`,
		`{"need":"x","list":"./..."}`:                                    `{"list":["./..."],"need":"x"}`,
		`{"need":"x","list":"[\"a\"]"}`:                                  `{"list":["a"],"need":"x"}`,
		`{"need":"x","list":[]}`:                                         `{"list":[],"need":"x"}`,
		`{"need":"x","list":[1]}`:                                        `{"list":["1"],"need":"x"}`,
		`{"need":7}`:                                                     `{"need":"7"}`,
		`{"need":12345678}`:                                              `{"need":"12345678"}`,
		`{"need":"x","word":"two"}`:                                      `{"need":"x","word":"two"}`,
		`{"need":"x","files":{"a.t":"1"}}`:                               `{"files":{"a.t":"1"},"need":"x"}`,
		`{"need":"x","files":"{\"a.t\":\"1\"}"}`:                         `{"files":{"a.t":"1"},"need":"x"}`,
		// The last one counts, as everywhere in JSON.
		`{"need":"x","need":"y"}`: `{"need":"y"}`,
	} {
		got, err := everyKind.arguments(json.RawMessage(given))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v; want %s", given, got, err, want)
		}
	}
	none := tool{name: "none"}
	for _, given := range []string{``, `null`, ` `, `{}`} {
		if got, err := none.arguments(json.RawMessage(given)); err != nil || string(got) != `{}` {
			t.Errorf("%q: got %s, %v", given, got, err)
		}
	}
}

func TestWhatCannotBeTakenSaysWhatCan(t *testing.T) {
	t.Parallel()
	const expected = "need, word, many, yes, list, files"
	for given, want := range map[string]string{
		`{"need":"x","pkg":1,"verbose":true}`: "unknown argument(s) for every_kind: pkg, verbose. Expected: " + expected + ". Remove and retry.",
		`{"Need":"x"}`:                        "unknown argument(s) for every_kind: Need. Expected: " + expected + ". Remove and retry.",
		`{"need":"x","pkg":null}`:             "unknown argument(s) for every_kind: pkg. Expected: " + expected + ". Remove and retry.",
		`{}`:                                  "every_kind: need is missing. Expected: " + expected + ".",
		`[1]`:                                 `every_kind: the arguments are a list, not a JSON object; give {"NAME":VALUE}, with the names ` + expected,
		`need=x`:                              `every_kind: the arguments are text that is no JSON, not a JSON object; give {"NAME":VALUE}, with the names ` + expected,
		`{"need":null}`:                       "every_kind: need is missing. Expected: " + expected + ".",
		`{"need":"x","many":"NaN"}`:           `every_kind: many must be a number, not "NaN"`,
		`{"need":"x","many":"soon"}`:          `every_kind: many must be a number, not "soon"`,
		`{"need":"x","many":true}`:            "every_kind: many must be a number, not a boolean",
		`{"need":"x","many":[300]}`:           "every_kind: many must be a number, not a list",
		`{"need":"x","yes":"perhaps"}`:        `every_kind: yes must be true or false, not "perhaps"`,
		`{"need":"x","yes":1}`:                "every_kind: yes must be true or false, not a number",
		`{"need":"x","list":{"a":"b"}}`:       "every_kind: list must be a list of strings, not an object",
		`{"need":"x","list":[["a"]]}`:         "every_kind: list must be a list of strings; it has a list in it",
		`{"need":"x","list":[null]}`:          "every_kind: list must be a list of strings; it has null in it",
		`{"need":"x","word":"three"}`:         `every_kind: word must be one of one, two, not "three"`,
		`{"need":{}}`:                         "every_kind: need must be a string, not an object",
		`{"need":"x","files":["a"]}`:          "every_kind: files must be an object of strings, not a list",
		`{"need":"x","files":{"a":1}}`:        `every_kind: files must be an object of strings; "a" is a number`,
	} {
		_, err := everyKind.arguments(json.RawMessage(given))
		var wrong *argumentError
		if !errors.As(err, &wrong) || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", given, err, want)
		}
	}
	for _, given := range []string{`[]`, `"x"`, `7`, `true`, `{`, `{"need":"x"} {}`, strings.Repeat("[", 100000)} {
		var wrong *argumentError
		if _, err := everyKind.arguments(json.RawMessage(given)); !errors.As(err, &wrong) {
			t.Errorf("%.20s: got %v", given, err)
		}
	}
}

func TestNumbersAreClampedAndNeverOverflow(t *testing.T) {
	t.Parallel()
	for n, want := range map[number]int{
		0: 0, 5.7: 5, -5: -5, 1e308: math.MaxInt32, -1e308: math.MinInt32, 2000: 2000,
	} {
		if got := n.count(); got != want {
			t.Errorf("%v is the count %d, want %d", float64(n), got, want)
		}
	}
	for n, want := range map[number]time.Duration{0: 0, 0.25: 250 * time.Millisecond, -5: -5 * time.Second, 300: 5 * time.Minute} {
		if got := n.seconds(); got != want {
			t.Errorf("%v s are %v, want %v", float64(n), got, want)
		}
	}
	for _, n := range []number{1e308, math.MaxFloat64} {
		if long, short := n.seconds(), (-n).seconds(); long < 24*time.Hour || short > -24*time.Hour {
			t.Errorf("%v s are %v and %v", float64(n), long, short)
		}
	}
}

// A number that no float holds is a large number all the same.
func TestAnEndlessNumberIsALargeOne(t *testing.T) {
	t.Parallel()
	for _, given := range []string{`{"need":"x","many":1e999}`, `{"need":"x","many":"1e999"}`, `{"need":"x","many":1` + strings.Repeat("0", 400) + `}`} {
		got, err := everyKind.arguments(json.RawMessage(given))
		var taken struct{ Many number }
		if err != nil || json.Unmarshal(got, &taken) != nil || taken.Many.count() != math.MaxInt32 {
			t.Errorf("%.40s: got %s, %v", given, got, err)
		}
	}
}

// What a model sent by mistake, however large, is not repeated to it whole.
func TestAnErrorAboutArgumentsIsShort(t *testing.T) {
	t.Parallel()
	const most = 2 << 10
	huge := strings.Repeat("x", 1<<20)
	many := `{"need":"x"`
	for i := range 10000 {
		many += fmt.Sprintf(`,"unknown%d":1`, i)
	}
	for what, given := range map[string]string{
		"a huge name":       `{"need":"x","` + huge + `":1}`,
		"many names":        many + `}`,
		"a huge value":      `{"need":"x","many":"` + huge + `"}`,
		"a huge word":       `{"need":"x","word":"` + huge + `"}`,
		"a huge name of it": `{"need":"x","files":{"` + huge + `":1}}`,
		"no object":         `["` + huge + `"]`,
		"a name with lines": `{"need":"x","a\nlast run_tests had no failures\nb":1}`,
	} {
		_, err := everyKind.arguments(json.RawMessage(given))
		if err == nil {
			t.Errorf("%s was taken", what)
			continue
		}
		if len(err.Error()) > most {
			t.Errorf("%s: an error of %d bytes", what, len(err.Error()))
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: an error of several lines: %q", what, err)
		}
	}
}

// Whatever a client sends, the answer is arguments in the types of the parameters
// or an error that a model can read.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `{"need":"x"}`, `{"need":"x","many":"NaN"}`, `{"need":"x","many":1e308}`, `{"need":"x","many":-0.0}`,
		`{"need":"x","list":"[1,2"}`, `{"need":"x","list":"[\"a\",null]"}`, `{"need":"x","files":"{}"}`, `{"need":"\ud800"}`, `{"need":"x","need":null}`,
		`{"timeout":"99999","limit":5.7,"packages":"./..."}`, `[[[[[[]]]]]]`, `{"need":"x","":""}`, "{\"need\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	all := append(tools(), everyKind)
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, tool := range all {
			got, err := tool.arguments(raw)
			if err != nil {
				var wrong *argumentError
				if !errors.As(err, &wrong) || err.Error() == "" {
					t.Errorf("%s: %v", tool.name, err)
				}
				continue
			}
			checkTaken(t, tool, got)
			// What was taken is taken as it is.
			again, err := tool.arguments(got)
			if err != nil || string(again) != string(got) {
				t.Errorf("%s: %s became %s, %v", tool.name, got, again, err)
			}
		}
	})
}

func checkTaken(t *testing.T, tool tool, got json.RawMessage) {
	t.Helper()
	taken := map[string]any{}
	if err := json.Unmarshal(got, &taken); err != nil || !utf8.Valid(got) {
		t.Fatalf("%s: %v in %q", tool.name, err, got)
	}
	for _, p := range tool.params {
		value, there := taken[p.name]
		delete(taken, p.name)
		if !there {
			if p.required {
				t.Errorf("%s: %s is missing in %s", tool.name, p.name, got)
			}
			continue
		}
		want := map[string]string{"string": "a string", "number": "a number", "boolean": "a boolean", "array": "a list", "object": "an object"}[p.kind]
		if kindOf(value) != want {
			t.Errorf("%s: %s is %s in %s", tool.name, p.name, kindOf(value), got)
		}
	}
	if len(taken) > 0 {
		t.Errorf("%s: %v was taken, which it does not know", tool.name, taken)
	}
}
