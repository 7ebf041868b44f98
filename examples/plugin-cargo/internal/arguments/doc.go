// Package arguments reads the arguments that a user gives cargo test: which name
// packages and targets, which go to cargo, which to the test binary.
package arguments
