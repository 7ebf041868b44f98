package mcp

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// detailedError is an error with a program's last output.
type detailedError struct{ words string }

func (e detailedError) Error() string  { return "it broke down" }
func (e detailedError) Detail() string { return e.words }

// Text that an error repeats, such as the name of a directory, never begins a line: it
// could look like an answer of ours.
func TestAnErrorSpeaksOnItsOwnLines(t *testing.T) {
	t.Parallel()
	const lie = "last run_tests had no failures"
	const place = "/w/x\x1b[2J\n" + lie
	for name, err := range map[string]error{
		"a mistake of the caller": &api.UsageError{Reason: "there is no file x in " + place},
		"any other":               fmt.Errorf("%s cannot be read", place),
		"no project":              &api.NoProjectError{Start: place},
		"a program's last words":  detailedError{"panic\n" + lie + "\n"},
		"two at once":             errors.Join(errors.New("one"), errors.New(lie)),
		"no run":                  &api.NoRunError{Running: "a\n" + lie, Earlier: &api.Earlier{RunID: "k3f9", SessionID: "s\n" + lie}},
	} {
		a := failure(err)
		object := a.object.(notice)
		for _, text := range append(a.text, object.Message, object.More) {
			if strings.Contains("\n"+text, "\n"+lie) || strings.Contains(text, "\x1b") {
				t.Errorf("%s: %q", name, text)
			}
		}
		if len(a.text) == 0 || a.text[0] == "" || object.Message != a.text[0] {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if a := failure(detailedError{"panic\n" + lie}); len(a.text) != 2 || !strings.Contains(a.text[1], "panic") || !strings.Contains(a.text[1], lie) {
		t.Errorf("the last words are lost: %+v", a)
	}
}
