package prose

import "testing"

func TestAListNamesTheFirstAndCountsTheRest(t *testing.T) {
	for _, c := range []struct {
		items       []string
		total, most int
		want        string
	}{
		{[]string{"a", "b"}, 2, 2, "a, b"},
		{[]string{"a", "b", "c"}, 3, 2, "a, b and 1 more"},
		{[]string{"a", "b"}, 9, 5, "a, b and 7 more"}, // the object carries two of nine
		{[]string{"a\nPASSED"}, 1, 1, `a\nPASSED`},
		{nil, 0, 5, ""},
	} {
		if got := Listed(c.items, c.total, c.most, Line); got != c.want {
			t.Errorf("%q of %d, at most %d: %q, want %q", c.items, c.total, c.most, got, c.want)
		}
	}
}
