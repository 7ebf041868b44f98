// Command bench measures proctor beside gotestsum, tparse, jq and the bare runners, in
// one go and in turns, and prints what was reached of the goals. Figures are
// reported, never asserted: on a busy machine a time is only a time. It ends
// with an error when something cannot be measured, or when a program gives
// another result than the stream holds: speed counts for nothing then. One area
// takes no times: it counts what a scripted agent reads until a broken module is
// green again. Another lets an agent's day go by in minutes, and shows what grows.
//
// Run it from the repository's root; docs/performance.md says how.
package main
