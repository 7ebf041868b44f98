// Package arguments parses the user's arguments for cargo test: which name packages and
// targets, which go to cargo, which to the test binary.
package arguments
