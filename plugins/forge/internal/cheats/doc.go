// Package cheats tells which cheat codes of forge a contract can call that reach
// beyond the sources it is built from: files, artifacts by their names, the
// environment, programs, chains.
//
// It looks at the code and not at the sources: a library such as forge-std declares
// every cheat code and has helpers for most, and only what is called is compiled.
//
// The package is not responsible for finding the code, nor for what follows from a
// finding.
package cheats
