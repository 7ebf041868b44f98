package money

import (
	"fmt"
	"testing"
)

func TestRound(t *testing.T) {
	for _, c := range []struct{ in, want string }{{"1.005", "1.01"}, {"-0.5", "-1"}, {"2.5", "3"}, {"1e9", "1e9"}, {"0.1+0.2", "0.3"}} {
		t.Run(c.in, func(t *testing.T) {
			t.Parallel()
			t.Logf("rounding %s to %s", c.in, c.want)
		})
	}
}

func TestConvert(t *testing.T) {
	t.Parallel()
	for i := 0; i < 20; i++ {
		t.Run(fmt.Sprintf("rate_%d", i), func(t *testing.T) {})
	}
}

func TestAdd(t *testing.T)      { t.Parallel() }
func TestSubtract(t *testing.T) { t.Parallel() }
func TestOverflow(t *testing.T) { t.Parallel() }

func TestSplit(t *testing.T) {
	for ways := 1; ways <= 16; ways++ {
		t.Run(fmt.Sprintf("%d_ways", ways), func(t *testing.T) {})
	}
}
