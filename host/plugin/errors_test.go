package plugin

import (
	"errors"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

func TestErrorsSayWhatToDo(t *testing.T) {
	id := Identity{Name: "go", Version: "1.0", Path: "/p"}
	for _, err := range []error{
		&CrashedError{Plugin: id, Call: "TestCmd"}, &CrashedError{Plugin: id}, &HungError{Plugin: id, Call: "TestCmd"},
		&ProtocolError{Plugin: id, Call: "TestCmd"}, &TooBigError{Plugin: id, Call: "TestCmd"},
	} {
		if s := err.Error(); !strings.HasPrefix(s, "plugin go 1.0 ") || !strings.Contains(s, "report it to its author") {
			t.Errorf("%T: %s", err, s)
		}
	}
	for _, signal := range []string{"SIGKILL", "SIGTERM", "SIGHUP", "SIGINT"} {
		ended := CrashedError{Plugin: id, Exit: ExitStatus{Code: -1, Signal: signal}}
		if s := ended.Error(); strings.Contains(s, "author") || !strings.Contains(s, "from outside") {
			t.Errorf("%s is what others send: %s", signal, s)
		}
		ended.Panic = "panic: out of cheese"
		if s := ended.Error(); !strings.Contains(s, "author") {
			t.Errorf("a panic is its own: %s", s)
		}
	}
	refusal := &sdk.Error{Reason: sdk.ToolNotFound, Message: "install go"}
	var found *sdk.Error
	if err := error(&CallError{Plugin: id, Call: "TestCmd", Err: refusal}); !errors.As(err, &found) || err.Error() != "plugin go 1.0: TestCmd: install go" {
		t.Errorf("%v", err)
	}
}
