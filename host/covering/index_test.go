package covering

import (
	"testing"

	"github.com/proctorhq/proctor/host/coverage"
)

func TestLessTimeDoesNotLoseWhatWasMeasured(t *testing.T) {
	t.Parallel()
	one, two := make([]coverage.Test, 1), make([]coverage.Test, 2)
	for name, c := range map[string]struct {
		now, before *coverage.Suite
		current     bool
		earlier     bool
	}{
		"fewer tests":                {&coverage.Suite{Cut: true, Tests: one}, &coverage.Suite{Cut: true, Tests: two}, true, true},
		"none any more":              {&coverage.Suite{Cut: true}, &coverage.Suite{Tests: two}, true, true},
		"more tests":                 {&coverage.Suite{Cut: true, Tests: two}, &coverage.Suite{Cut: true, Tests: one}, true, false},
		"fewer, but of new sources":  {&coverage.Suite{Cut: true, Tests: one}, &coverage.Suite{Tests: two}, false, false},
		"fewer, because it has less": {&coverage.Suite{Tests: one}, &coverage.Suite{Tests: two}, true, false},
		"the first":                  {&coverage.Suite{Cut: true}, nil, true, false},
	} {
		got := pickFuller(c.now, c.before, func() bool { return c.current })
		if (got == c.before) != c.earlier {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}
