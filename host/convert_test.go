package host

import (
	"testing"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// The numbers are the seed documents'.
func TestClamps(t *testing.T) {
	for in, want := range map[time.Duration]time.Duration{
		-time.Second: 300 * time.Second, 0: 300 * time.Second, time.Second: time.Second,
		1800 * time.Second: 1800 * time.Second, 1801 * time.Second: 1800 * time.Second,
	} {
		if got := ClampTimeout(in); got != want {
			t.Errorf("ClampTimeout(%v) = %v, want %v", in, got, want)
		}
	}
	for in, want := range map[int]int{-1: 50, 0: 50, 1: 1, 200: 200, 201: 200} {
		if got := ClampRerunLimit(in); got != want {
			t.Errorf("ClampRerunLimit(%d) = %d, want %d", in, got, want)
		}
	}
	for in, want := range map[int]int{-1: 50, 0: 50, 1: 1, 500: 500, 501: 500} {
		if got := ClampFailuresLimit(in); got != want {
			t.Errorf("ClampFailuresLimit(%d) = %d, want %d", in, got, want)
		}
	}
}

func TestReproIsAShellCommand(t *testing.T) {
	for _, tc := range []struct {
		cmd  sdk.Command
		want string
	}{
		{sdk.Command{}, ""},
		{sdk.Command{Argv: []string{"go", "test", "-run", "^A$/^it's$", "example.com/m"}}, `go test -run '^A$/^it'\''s$' example.com/m`},
		{sdk.Command{Argv: []string{"go", "test", ""}, Dir: "sub dir", Env: map[string]string{"B": "2", "A": "x y"}}, `(cd 'sub dir' && A='x y' B=2 go test '')`},
	} {
		if got := shellLine(tc.cmd); got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
}
