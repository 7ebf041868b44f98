// Package quarantine is about tests whose known failure does not decide a verdict. The
// project names them, with that failure, in a committed file in the root of its
// workspace.
//
// Everything in doubt decides: another failure than the known one, a test or suite
// without an end, an entry that expired or is of no test. The file is not trusted more
// than the sources; whoever shows a verdict says what it left out.
package quarantine
