package cli

import (
	"testing"
	"time"
)

func TestATimeOutThatIsTooLongIsNotShortenedInSilence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ given, want string }{
		{"1800", ""},
		{"30m", ""},
		{"0", ""},
		{"1801", "--timeout 1801: 1800s is the most, and is what it has"},
		{"1h", "--timeout 3600: 1800s is the most, and is what it has"},
		{"1e300", "--timeout 1000000: 1800s is the most, and is what it has"},
	} {
		var s seconds
		if err := s.Set(c.given); err != nil {
			t.Fatal(err)
		}
		if got := clampNote("timeout", s, 30*time.Minute); got != c.want {
			t.Errorf("%s: %q, want %q", c.given, got, c.want)
		}
	}
}
