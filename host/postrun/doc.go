// Package postrun executes the command that a user wants after each run, such as a
// notification. It decides nothing about the run.
package postrun
