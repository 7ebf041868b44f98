package pattern_test

import (
	"testing"

	"github.com/proctorhq/proctor/plugins/go/internal/pattern"
)

func TestInsideAndOnlyInside(t *testing.T) {
	for expr, want := range map[string]struct{ inside, only bool }{
		"":            {false, false},
		"TestA":       {false, false},
		"TestA/x":     {true, true},
		"TestA/x|y/z": {true, true},
		"TestA/x|B":   {true, false},
		"Test[/]A":    {false, false},
		"(A/x|B)":     {false, false},
	} {
		if inside, only := pattern.Inside(expr), pattern.OnlyInside(expr); inside != want.inside || only != want.only {
			t.Errorf("%q: inside %t, only inside %t; want %+v", expr, inside, only, want)
		}
	}
}
