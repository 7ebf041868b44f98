package api_test

import (
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
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
