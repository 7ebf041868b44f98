package outstanding

import (
	"encoding/json"

	"github.com/proctorhq/proctor/sdk"
)

// document is a [Set] as it is stored. A set of tens of thousands of tests has few runs,
// ways and suites, so what neighboring entries share is stored once.
type document struct {
	Groups []group             `json:"groups,omitempty"`
	Known  map[string][]string `json:"known,omitempty"`
}

// group holds neighboring entries that differ only in the names of their tests.
type group struct {
	Entry
	Tests []string `json:"tests"`
}

// MarshalJSON implements [json.Marshaler].
func (s Set) MarshalJSON() ([]byte, error) {
	d := document{Known: s.Known}
	for _, e := range s.Entries {
		name := e.Test
		e.Test = ""
		if last := len(d.Groups) - 1; last >= 0 && d.Groups[last].matches(e) {
			d.Groups[last].Tests = append(d.Groups[last].Tests, name)
		} else {
			d.Groups = append(d.Groups, group{Entry: e, Tests: []string{name}})
		}
	}
	return json.Marshal(d)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *Set) UnmarshalJSON(raw []byte) error {
	var d document
	if err := json.Unmarshal(raw, &d); err != nil {
		return err
	}
	size := 0
	for _, g := range d.Groups {
		size += len(g.Tests)
	}
	*s = Set{Known: d.Known, Entries: make([]Entry, 0, size)}
	for _, g := range d.Groups {
		for _, name := range g.Tests {
			e := g.Entry
			e.TestID = sdk.TestID{Suite: e.Suite, Test: name}
			s.Entries = append(s.Entries, e)
		}
	}
	return nil
}

// matches reports whether an entry equals the group's, apart from its test's name.
func (g group) matches(e Entry) bool {
	way := g.Way.equals(e.Way)
	e.Way = g.Way
	return way && g.Entry == e
}
