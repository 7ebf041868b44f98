package project

import "testing"

func TestAnotherMachineIsToldByWhatDiffers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		there, here map[string]string
		names       string
	}{
		{map[string]string{"A": "1", "B": "2", "C": "3"}, map[string]string{"A": "1", "B": "x", "D": "3"}, "B, C, D"},
		{map[string]string{"A": "1", "B": "1", "C": "1", "D": "1", "E": "1", "F": "1"}, nil, "A, B, C, D, E and 1 more"},
		{map[string]string{"A": "1"}, map[string]string{"A": "1"}, "tools, their versions, or variables that decide how tests end"}, // only their hashes are equal
	} {
		if got := NameDifferences(c.there, c.here); got != c.names {
			t.Errorf("%q, want %q", got, c.names)
		}
	}
}
