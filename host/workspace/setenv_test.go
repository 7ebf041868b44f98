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

func TestUnsetenvKeepsExceptions(t *testing.T) {
	env := []string{"A=1", "TOOL_X=3", "TOOL_Y=4", "TOOL_XX=5", "Tool_z=6"}
	got := Unsetenv(env, []string{"!TOOL_X", "TOOL_*", "A", "!B*"})
	if want := []string{"TOOL_X=3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUnsetenvRemovesNamesAndPrefixes(t *testing.T) {
	env := []string{"A=1", "AB=2", "TOOL_X=3", "TOOL_=4", "XTOOL_=5", "TOOL=6"}
	got := Unsetenv(env, []string{"A", "TOOL_*"})
	if want := []string{"AB=2", "XTOOL_=5", "TOOL=6"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if env[0] != "A=1" {
		t.Error("the environment that was given changed")
	}
}
