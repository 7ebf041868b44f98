package classify_test

import (
	"maps"
	"testing"

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/sdk"
)

func TestRenamesAreKnownByBodyOrElseByPlace(t *testing.T) {
	at := func(name, file string, line int, body string) classify.Declared {
		return classify.Declared{TestID: sdk.TestID{Suite: "s", Test: name}, File: file, Line: line, Body: body}
	}
	for name, c := range map[string]struct {
		gone, come []classify.Declared
		want       map[string]string
	}{
		"the same body elsewhere": {[]classify.Declared{at("A", "f", 3, "x")}, []classify.Declared{at("B", "g", 9, "x")}, map[string]string{"A": "B"}},
		"the same place":          {[]classify.Declared{at("A", "f", 3, "x")}, []classify.Declared{at("B", "f", 3, "y")}, map[string]string{"A": "B"}},
		"a body before a place":   {[]classify.Declared{at("A", "f", 3, "x")}, []classify.Declared{at("B", "f", 3, "y"), at("C", "f", 9, "x")}, map[string]string{"A": "C"}},
		"a place where bodies are many": {[]classify.Declared{at("A", "f", 3, "x"), at("B", "f", 6, "x")}, []classify.Declared{at("C", "f", 3, "x"), at("D", "f", 6, "x")},
			map[string]string{"A": "C", "B": "D"}},
		"a new body at another place": {[]classify.Declared{at("A", "f", 3, "x")}, []classify.Declared{at("B", "f", 4, "y")}, nil},
		"two with the body":           {[]classify.Declared{at("A", "f", 3, "x")}, []classify.Declared{at("B", "f", 4, "x"), at("C", "f", 5, "x")}, nil},
		"nothing is known":            {[]classify.Declared{at("A", "", 0, "")}, []classify.Declared{at("B", "", 0, "")}, nil},
		"another suite":               {[]classify.Declared{at("A", "f", 3, "x")}, []classify.Declared{{TestID: sdk.TestID{Suite: "t", Test: "B"}, File: "f", Line: 3, Body: "x"}}, nil},
	} {
		got := map[string]string{}
		for was, is := range classify.Renames(c.gone, c.come) {
			got[was.Test] = is.Test
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestALineSharedByTestsIsNotALocation(t *testing.T) {
	at := func(name string, line int) classify.Declared {
		return classify.Declared{TestID: sdk.TestID{Suite: "s", Test: name}, File: "f", Line: line}
	}
	old, new, peer := at("Old", 7), at("New", 7), at("Peer", 7)
	alone := func(d classify.Declared) []classify.Declared {
		return classify.Placed([]classify.Declared{d}, []classify.Declared{d})
	}
	if names := classify.Renames(alone(old), alone(new)); names[old.TestID] != new.TestID {
		t.Errorf("at a line of its own: %v", names)
	}
	shared := classify.Placed([]classify.Declared{new}, []classify.Declared{new, peer})
	if names := classify.Renames(alone(old), shared); len(names) > 0 {
		t.Errorf("at a line of several: %v", names)
	}
}
