package forge_test

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

func TestAnErrorBesideResultsCountsUnlessTheExitCodeIsZero(t *testing.T) {
	passed := []byte(resultDocument("a:A", "t()", `"status":"Success"`))
	for name, c := range map[string]struct {
		exit         sdk.Exit
		notes, fails []string
	}{
		"a good end":  {sdk.Exit{}, []string{"forge: no connection"}, nil},
		"a bad end":   {sdk.Exit{Code: 1}, nil, []string{"no connection"}},
		"end unknown": {sdk.Exit{Unknown: true}, nil, []string{"no connection"}},
	} {
		got := feedParser(t, feeding{stdout: passed, stderr: []byte("Error: no connection\n"), exit: c.exit})
		if !slices.Equal(got.Notes, c.notes) || !slices.Equal(got.RunErrors, c.fails) {
			t.Errorf("%s: notes %q, errors %q", name, got.Notes, got.RunErrors)
		}
	}
}
