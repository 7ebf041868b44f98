package arguments

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/api"
)

// everyKind has a parameter of each type.
type everyKind struct {
	need, word string
	many       int
	yes        bool
	list       []string
	files      map[string]string
}

func (e *everyKind) params() []api.Param {
	return []api.Param{
		{Value: &e.need, Tool: "need", Required: true},
		{Value: &e.word, Tool: "word", Words: []string{"one", "two"}},
		{Value: &e.many, Tool: "many"},
		{Value: &e.yes, Tool: "yes"},
		{Value: &e.list, Tool: "list"},
		{Value: &e.files, Tool: "files"},
		{Value: new(string), Flag: "no-argument"},
	}
}

// readEvery reads the arguments of a call, and checks that they can be stored.
func readEvery(raw string) (string, error) {
	given, err := read("every_kind", new(everyKind).params(), json.RawMessage(raw))
	if err != nil {
		return "", err
	}
	if err := Take("every_kind", new(everyKind).params(), json.RawMessage(raw)); err != nil {
		return "", err
	}
	text, err := json.Marshal(given)
	return string(text), err
}

func TestUnambiguousArgumentsAreAccepted(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{"need":"x"}`:                `{"need":"x"}`,
		`{"need":"x","many":300}`:     `{"many":300,"need":"x"}`,
		`{"need":"x","many":"300"}`:   `{"many":300,"need":"x"}`,
		`{"need":"x","many":" 5.7 "}`: `{"many":5.7,"need":"x"}`,
		`{"need":"x","many":-5}`:      `{"many":-5,"need":"x"}`,
		`{"need":"x","many":1e308}`:   `{"many":1e+308,"need":"x"}`,
		`{"need":"x","many":null}`:    `{"need":"x"}`,
		// Some models fill in everything.
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
		// The last one counts, as is usual in JSON.
		`{"need":"x","need":"y"}`: `{"need":"y"}`,
	} {
		got, err := readEvery(given)
		if err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", given, got, err, want)
		}
	}
	for _, given := range []string{``, `null`, ` `, `{}`} {
		if err := Take("none", nil, json.RawMessage(given)); err != nil {
			t.Errorf("%q: %v", given, err)
		}
	}
}

func TestARejectedArgumentNamesWhatIsAllowed(t *testing.T) {
	t.Parallel()
	const expected = "need, word, many, yes, list, files"
	for given, want := range map[string]string{
		`{"need":"x","pkg":1,"verbose":true}`: "unknown argument(s) for every_kind: pkg, verbose. Expected: " + expected + ". Remove and retry.",
		`{"Need":"x"}`:                        "unknown argument(s) for every_kind: Need. Expected: " + expected + ". Remove and retry.",
		`{"need":"x","pkg":null}`:             "unknown argument(s) for every_kind: pkg. Expected: " + expected + ". Remove and retry.",
		`{}`:                                  "every_kind: need is missing. Expected: " + expected + ".",
		`[1]`:                                 `every_kind: the arguments are a list, not a JSON object; give {"NAME":VALUE}, with the names ` + expected,
		`need=x`:                              `every_kind: the arguments are text that is not JSON, not a JSON object; give {"NAME":VALUE}, with the names ` + expected,
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
		_, err := readEvery(given)
		var wrong *Error
		if !errors.As(err, &wrong) || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", given, err, want)
		}
	}
	for _, given := range []string{`[]`, `"x"`, `7`, `true`, `{`, `{"need":"x"} {}`, strings.Repeat("[", 100000)} {
		var wrong *Error
		if _, err := readEvery(given); !errors.As(err, &wrong) {
			t.Errorf("%.20s: got %v", given, err)
		}
	}
}

func TestNumbersAreClampedAndNeverOverflow(t *testing.T) {
	t.Parallel()
	for n, want := range map[float64]int{
		0: 0, 5.7: 5, -5: -5, 1e308: math.MaxInt32, -1e308: math.MinInt32, 2000: 2000,
	} {
		if got := count(n); got != want {
			t.Errorf("%v is the count %d, want %d", n, got, want)
		}
	}
	for n, want := range map[float64]time.Duration{0: 0, 0.25: 250 * time.Millisecond, -5: -5 * time.Second, 300: 5 * time.Minute} {
		if got := seconds(n); got != want {
			t.Errorf("%v s are %v, want %v", n, got, want)
		}
	}
	for _, n := range []float64{1e308, math.MaxFloat64} {
		if long, short := seconds(n), seconds(-n); long < 24*time.Hour || short > -24*time.Hour {
			t.Errorf("%v s are %v and %v", n, long, short)
		}
	}
	var wait time.Duration
	limited := []api.Param{{Value: &wait, Tool: "wait", Max: 1800}}
	if err := Take("t", limited, json.RawMessage(`{"wait":7200}`)); err != nil || wait != 30*time.Minute {
		t.Errorf("7200 s are %v, %v", wait, err)
	}
}

// A number that no float can hold is just a large number.
func TestAnEndlessNumberIsALargeOne(t *testing.T) {
	t.Parallel()
	for _, given := range []string{`{"need":"x","many":1e999}`, `{"need":"x","many":"1e999"}`, `{"need":"x","many":1` + strings.Repeat("0", 400) + `}`} {
		var every everyKind
		if err := Take("every_kind", every.params(), json.RawMessage(given)); err != nil || every.many != math.MaxInt32 {
			t.Errorf("%.40s: got %d, %v", given, every.many, err)
		}
	}
}

// An error does not repeat a large mistaken argument in full.
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
		_, err := readEvery(given)
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

// Any input yields arguments of the parameters' types, or an error that a model can
// read.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `{"need":"x"}`, `{"need":"x","many":"NaN"}`, `{"need":"x","many":1e308}`, `{"need":"x","many":-0.0}`,
		`{"need":"x","list":"[1,2"}`, `{"need":"x","list":"[\"a\",null]"}`, `{"need":"x","files":"{}"}`, `{"need":"\ud800"}`, `{"need":"x","need":null}`,
		`{"timeout":"99999","limit":5.7,"packages":"./..."}`, `[[[[[[]]]]]]`, `{"need":"x","":""}`, "{\"need\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		params := new(everyKind).params()
		given, err := read("every_kind", params, raw)
		if err != nil {
			if _, ok := errors.AsType[*Error](err); !ok || err.Error() == "" {
				t.Error(err)
			}
			return
		}
		got, err := json.Marshal(given)
		if err != nil || !utf8.Valid(got) {
			t.Fatalf("%v in %q", err, got)
		}
		if err := Take("every_kind", params, raw); err != nil {
			t.Errorf("%s is read and not taken: %v", raw, err)
		}
		// Accepted arguments are accepted again unchanged.
		again, err := read("every_kind", params, got)
		if text, _ := json.Marshal(again); err != nil || string(text) != string(got) {
			t.Errorf("%s became %s, %v", got, text, err)
		}
		checkTypes(t, params, given)
	})
}

func checkTypes(t *testing.T, params []api.Param, given map[string]any) {
	t.Helper()
	for _, p := range params {
		value, there := given[p.Tool]
		if !there && p.Required {
			t.Errorf("%s is missing in %v", p.Tool, given)
		}
		if !there {
			continue
		}
		right := false
		switch TypeOf(p) {
		case stringType:
			_, right = value.(string)
		case numberType:
			_, right = value.(float64)
		case booleanType:
			_, right = value.(bool)
		case arrayType:
			_, right = value.([]string)
		case objectType:
			_, right = value.(map[string]string)
		}
		if !right {
			t.Errorf("%s is a %T", p.Tool, value)
		}
	}
}
