//go:build !race

package testbin

// RaceEnabled reports whether the tests look for data races.
const RaceEnabled = false
