// Package verdict decides what a run proved, from positive evidence only. It is
// pure: values in, values out. docs/verdicts.md shows the same rules as a
// table.
//
// It is not responsible for gathering the evidence, nor for what a rerun says
// about the tests that were asked for: that is package outstanding.
package verdict
