// Package solidity parses Solidity sources as far as finding a test requires: contracts
// with their bases, functions and public variables with their types, user-defined
// types, imports, and the place of each.
//
// Start with [Parse], which turns text into a [File]. A [Program] combines files: it
// resolves names to contracts, orders bases (C3, like the compiler), and canonicalizes
// written types for signatures.
//
// The parser is tolerant and never fails: it skips text that it does not understand, up
// to the next semicolon or closing brace. So it cannot judge whether a program is
// valid, and the only expressions it evaluates are number literals. Its answers are a
// best effort, for use without the compiler's own artifacts. It opens no files; see
// [Loader].
package solidity
