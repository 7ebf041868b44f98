package mcp

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/pick"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// budget is the limit of an answer's text, and of its object, in bytes.
const budget = 64 << 10

// checkAnswer checks what must hold for every answer.
func checkAnswer(t testing.TB, tool string, args any, r result) {
	t.Helper()
	raw, _ := json.Marshal(args)
	unbounded := tool == "get_test_output" || strings.Contains(string(raw), `"raw"`)
	if len(r.texts) == 0 || r.object == nil {
		t.Errorf("%s %s: text and object must each be complete: %d blocks, object %s", tool, raw, len(r.texts), r.raw)
	}
	if len(r.text()) > budget && !unbounded {
		t.Errorf("%s %s: %d bytes of text", tool, raw, len(r.text()))
	}
	if len(r.raw) > budget && !unbounded {
		t.Errorf("%s %s: an object of %d bytes", tool, raw, len(r.raw))
	}
	for _, text := range r.texts {
		checkPlain(t, tool+": text", text)
	}
	for key, value := range r.object {
		walkStrings(value, func(text string) { checkPlain(t, tool+": field "+key, text) })
	}
}

// checkPlain looks for characters that act rather than show: those that control a
// terminal, or reorder or hide text.
func checkPlain(t testing.TB, what, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s is not UTF-8: %q", what, abridged(text))
	}
	for i, c := range text {
		if c != '\n' && c != '\t' && prose.Deceives(c) {
			t.Errorf("%s has %q in it: %q", what, c, abridged(text[max(0, i-40):]))
			return
		}
	}
}

func abridged(text string) string {
	if len(text) > 200 {
		return text[:200] + "…"
	}
	return text
}

// walkStrings visits each string of a value, including field names.
func walkStrings(value any, visit func(string)) {
	switch v := value.(type) {
	case string:
		visit(v)
	case []any:
		for _, one := range v {
			walkStrings(one, visit)
		}
	case map[string]any:
		for key, one := range v {
			visit(key)
			walkStrings(one, visit)
		}
	}
}

// Handlers sanitize foreign text, and an answer does so once more.
func TestAnAnswerIsPlainWhateverAHandlerPutsIntoIt(t *testing.T) {
	t.Parallel()
	got, err := answer{text: []string{nasty, forgery}, object: notice{Message: nasty, More: forgery}}.result()
	if err != nil {
		t.Fatal(err)
	}
	r, err := resultOf(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range r.texts {
		checkPlain(t, "a block", text)
	}
	checkPlain(t, "the object", string(r.raw))
}

// Only its id names a test whose name an answer does not show as it is.
func TestAFailureWithoutItsWholeNameKeepsItsID(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]string{"TestA/" + strings.Repeat("x", 2000): "0123456789ab", "TestA/\x1b": "0123456789ab", "TestA": ""} {
		failures := []api.Failure{{ID: "0123456789ab", Failure: sdk.Failure{TestID: sdk.TestID{Suite: "m/a", Test: name}, Message: "bad"}}}
		object := objectOf(api.Run{Verdict: api.Failed, Failures: failures, FailuresTotal: 1}, pick.Failures(failures, 1, 1), nil)
		if f := object.Failures[0]; f.ID != id {
			t.Errorf("%.20q has the id %q: %.40q", name, f.ID, f.Test)
		}
	}
}
