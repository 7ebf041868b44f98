// Package front is the command line of proctor-fleet: proctor's own, whose runs go to a
// fleet, and the commands of the fleet.
package front
