// Package cheats says which cheat codes of forge a contract can call that reach
// beyond the sources it is built from: files, artifacts by name, the environment,
// programs, chains.
//
// It examines the code and not the sources: a library such as forge-std declares
// every cheat code and has helpers for most, and only what is called is compiled.
//
// It does not look for the code or act on its findings.
package cheats
