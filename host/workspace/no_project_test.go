package workspace

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

var jest = api.Declined{Plugin: "node", Path: ".", Reason: "package.json tests with jest, which this plugin does not run"}

// An existing marker must not be called missing.
func TestADirectoryThatNoPluginTakesIsNotSaidToLackItsMarker(t *testing.T) {
	e := &api.NoProjectError{Start: "/w", Markers: []string{"go.mod", "package.json"}, Declined: []api.Declined{jest}}
	got := e.Error()
	if !strings.HasPrefix(got, "no supported project detected in workspace root: /w is not a project of any plugin here") || strings.Contains(got, "none of") {
		t.Error(got)
	}
	if !strings.Contains(got, "plugin node: package.json tests with jest, which this plugin does not run") {
		t.Errorf("the plugin's reason is missing: %s", got)
	}
	e.Declined = nil
	if got := e.Error(); strings.Contains(got, "none of") || e.Advise().Operation != api.AdvisePlugins {
		t.Errorf("without a reason: %s", got)
	}
}

func TestProjectsBelowADirectoryWithoutAMarkerAreNamed(t *testing.T) {
	e := &api.NoProjectError{
		Start: "/w", Looked: []string{"/w"}, Markers: []string{"go.mod"}, Exact: true,
		Declined: []api.Declined{{Plugin: "go", Path: "sub", Reason: "a module of its own"}},
	}
	want := "no supported project detected in workspace root: /w has none of go.mod (plugin go: sub: a module of its own)"
	if got := e.Error(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAnErrorNamesAFewReasonsAndCountsTheRest(t *testing.T) {
	e := &api.NoProjectError{Start: "/w", Markers: []string{"x"}}
	for i := range 1000 {
		e.Declined = append(e.Declined, api.Declined{Plugin: "go", Path: fmt.Sprint(i), Reason: "a module of its own"})
	}
	if got := e.Error(); strings.Count(got, "a module of its own") != 5 || !strings.Contains(got, "and 995 more") {
		t.Error(got)
	}
}
