package tally

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// The numbers are the seed documents'.
func TestClamps(t *testing.T) {
	for in, want := range map[time.Duration]time.Duration{
		-time.Second: 300 * time.Second, 0: 300 * time.Second, time.Second: time.Second,
		1800 * time.Second: 1800 * time.Second, 1801 * time.Second: 1800 * time.Second,
	} {
		if got := api.ClampTimeout(in); got != want {
			t.Errorf("ClampTimeout(%v) = %v, want %v", in, got, want)
		}
	}
	for in, want := range map[int]int{-1: 50, 0: 50, 1: 1, 200: 200, 201: 200} {
		if got := api.ClampRerunLimit(in); got != want {
			t.Errorf("ClampRerunLimit(%d) = %d, want %d", in, got, want)
		}
	}
	for in, want := range map[int]int{-1: 50, 0: 50, 1: 1, 500: 500, 501: 500} {
		if got := api.ClampFailuresLimit(in); got != want {
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

// The record holds the value as it is: what is no number of JSON would make it
// unreadable.
func TestAMeasureThatIsNoNumberIsLeftOut(t *testing.T) {
	var measures []sdk.Measure
	for _, value := range []string{
		"1", "", "Inf", "NaN", "<nil>", "0x1f", "1_000", "+1", "01", "1.", "1 ", " 1", "1\n", "1 2", "true", "null", `"1"`, "[1]", "{}",
		"-1.5e+300", "115792089237316195423570985008687907853269984665640564039457584007913129639935", "0",
	} {
		measures = append(measures, sdk.Measure{Name: "cost", Value: value})
	}
	text, err := json.Marshal(resultOf(sdk.TestResult{Measures: measures}))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Measures []struct{ Value json.Number }
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, m := range got.Measures {
		kept = append(kept, m.Value.String())
	}
	want := []string{"1", "-1.5e+300", "115792089237316195423570985008687907853269984665640564039457584007913129639935", "0"}
	if !slices.Equal(kept, want) {
		t.Errorf("kept %q, want %q", kept, want)
	}
}
