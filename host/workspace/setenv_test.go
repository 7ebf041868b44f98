package workspace

import (
	"slices"
	"testing"
)

func TestSetenvLeavesOneEntryOfAName(t *testing.T) {
	env := []string{"A=1", "PWD=/link", "B=2", "PWD=/other"}
	got := Setenv(env, "PWD", "/real")
	if want := []string{"A=1", "B=2", "PWD=/real"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if env[1] != "PWD=/link" {
		t.Error("the environment that was given changed")
	}
	if got := Setenv(nil, "A", ""); !slices.Equal(got, []string{"A="}) {
		t.Errorf("got %q", got)
	}
}
