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
	refusal := &sdk.Error{Reason: sdk.ToolNotFound, Message: "install go"}
	var found *sdk.Error
	if err := error(&CallError{Plugin: id, Call: "TestCmd", Err: refusal}); !errors.As(err, &found) || err.Error() != "plugin go 1.0: TestCmd: install go" {
		t.Errorf("%v", err)
	}
}
