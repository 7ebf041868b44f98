// Package solidity reads Solidity sources as far as finding a test needs it:
// contracts with their bases, functions and public variables with their types,
// user-defined types, imports, and where each of them stands.
//
// Read [Parse] first: text in, a [File] out. A [Program] holds several files
// together: which contract a name means, in which order bases are searched
// (C3, as the compiler does it), and what a written type is called in a
// signature.
//
// The scanner is tolerant. It never fails: text that it does not understand is
// left out, to the next semicolon or closing brace. So it is not a judge of
// valid programs, it evaluates no expressions beyond number literals, and what
// it says is a best effort wherever the compiler's own artifacts are missing.
// It opens no files; see [Loader].
package solidity
