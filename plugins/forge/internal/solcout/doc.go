// Package solcout parses what the compiler and forge print when nothing could be run:
// compile errors in the text formats of all versions of solc, and forge's own errors.
//
// It reads the lines of both streams. It knows neither how the command ended nor
// whether there were results; package forge decides what its report means.
package solcout
