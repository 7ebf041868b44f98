// Package front is the command line of proctor-fleet: proctor's own commands, with runs on
// a fleet, and the fleet's commands.
package front
