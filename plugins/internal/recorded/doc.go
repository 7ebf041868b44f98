// Package recorded reads and writes cases of recorded output, one txtar archive
// a case: meta.json, want.json, the sources below src/, and the streams stdout
// and stderr. A stream that is large or not text is kept beside the archive, as
// NAME.stdout.gz.
//
// It is not responsible for what a case means: the corpus of each plugin defines
// its metadata and expectations, and its recorder runs the commands.
package recorded
