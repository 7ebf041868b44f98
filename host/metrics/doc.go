// Package metrics compares what the tests of two runs measured. It is pure:
// values in, values out.
//
// It compares a measure only with one of the same test, name, kind and section,
// if the test passed in both runs, under equal conditions, with an equal seed
// and number of executions. It names whatever it does not compare, with the
// reason, and never says "no difference" after comparing nothing.
//
// It does not choose the runs, interpret the names or show anything.
package metrics
