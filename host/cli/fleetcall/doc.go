// Package fleetcall is the seam between proctor and proctor-fleet: it hands `run --fleet` over
// to that program, which is one of its own because it is large and most users never need it,
// and lets it replace where runs are executed.
package fleetcall
