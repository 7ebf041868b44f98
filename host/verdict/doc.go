// Package verdict decides what a run proved, from positive evidence only. It is
// pure: values in, values out. docs/verdicts.md shows the same rules as a
// table.
//
// It does not gather the evidence, nor decide what a rerun says about the tests
// that were asked for: that is package outstanding.
package verdict
