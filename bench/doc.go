// Command bench measures proctor beside gotestsum, tparse, jq and the bare runners, taking
// turns, and prints which goals were reached. Figures are reported, never asserted: a time
// from a busy machine proves nothing. It fails if something cannot be measured, or if a
// program's result differs from what the stream contains, since then its speed means
// nothing. One area measures no times: it counts what a scripted agent reads until a broken
// module is green again. Another compresses an agent's day into minutes, and shows what
// grows.
//
// Run it from the repository's root; docs/performance.md says how.
package main
