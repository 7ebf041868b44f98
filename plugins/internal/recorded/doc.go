// Package recorded reads and writes cases of recorded output: sources, meta data,
// what is wanted, and the two streams, each case in a directory of its own.
//
// It is not responsible for what a case means: the corpus of each plugin defines
// its meta data and expectations, and its recorder makes the recordings.
package recorded
