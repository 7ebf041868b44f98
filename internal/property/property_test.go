package property

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestTheCasesAreTheSameEachTime(t *testing.T) {
	t.Setenv("PROCTOR_FUZZ", "")
	draw := func() (drawn []uint64) {
		Check(t, func(r *rapid.T) { drawn = append(drawn, rapid.Uint64().Draw(r, "n")) })
		return drawn
	}
	if first, second := draw(), draw(); len(first) == 0 || !slices.Equal(first, second) {
		t.Errorf("%d and %d cases, which differ", len(first), len(second))
	}
}
