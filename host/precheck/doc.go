// Package precheck executes a plugin's check before the tests of a run: it tells what cannot
// be built, and compares that with what the tests' own command says. It decides nothing.
package precheck
