//go:build race

package cli

// raceEnabled tells that the tests look for data races; so do the binaries then.
const raceEnabled = true
