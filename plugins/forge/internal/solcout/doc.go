// Package solcout reads what the compiler and forge say when nothing could be
// run: the text forms of compile errors of all versions of solc, and forge's
// own errors.
//
// It is fed lines of both streams, and knows neither how the command ended nor
// whether there were results: what to make of its report is decided by package
// forge.
package solcout
