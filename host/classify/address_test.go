package classify_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/classify"
)

func TestATestWithAnAddressInItsNameKeepsItsHistory(t *testing.T) {
	for name, c := range map[string]struct {
		was, is string
		same    bool
	}{
		"an address":          {"T/&a{X:(*b)(0x602a5ace5a0)}", "T/&a{X:(*b)(0x3a103e1682a0)}", true},
		"between underscores": {"T/at_0xc0000140a8_", "T/at_0xc000014ff8_", true},
		"two of them":         {"T/0xc0000140a8,0xc0000140b8", "T/0xc0000140c8,0xc0000140d8", true},
		"a short value":       {"T/0x12", "T/0x13", false},
		"part of a word":      {"T/a0xc0000140a8", "T/a0xc0000140b8", false},
		"before a word":       {"T/0xc0000140a8z", "T/0xc0000140b8z", false},
		"other words":         {"T/a 0xc0000140a8", "T/b 0xc0000140b8", false},
		"a number":            {"T/1234567", "T/1234568", false},
	} {
		got := classify.Integrity("run01", classify.Renamed(of(change(c.was, "T", 'P', '.'), change(c.is, "T", '.', 'P'))), nil)
		if (got == nil) != c.same {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A vanished test must not hide behind another with an address.
func TestEachTestWithAnAddressCountsOnce(t *testing.T) {
	got := classify.Integrity("run01", classify.Renamed(of(
		change("T/0xaaaaaa1", "T", 'P', '.'), change("T/0xaaaaaa2", "T", 'P', '.'), change("T/0xaaaaaa3", "T", 'F', '.'),
		change("T/0xaaaaaa4", "T", '.', 'S'), change("T/0xaaaaaa5", "T", '.', 'F'), change("U", "", 'P', '.'),
	)), nil)
	if got == nil {
		t.Fatal("nothing is told")
	}
	if diff := cmp.Diff([]string{"T/0xaaaaaa2", "U"}, names(got.Vanished)) + cmp.Diff([]string{"T/0xaaaaaa4"}, names(got.NewlySkipped)); diff != "" {
		t.Error(diff)
	}
	// The same name in another suite is another test.
	other := change("T/0xaaaaaa2", "T", '.', 'P')
	other.Suite = "other"
	if got := classify.Integrity("run01", classify.Renamed(of(change("T/0xaaaaaa1", "T", 'P', '.'), other)), nil); got == nil || got.VanishedTotal != 1 {
		t.Errorf("%+v", got)
	}
}
