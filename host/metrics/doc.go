// Package metrics compares what the tests of two runs measured. It is pure:
// values in, values out.
//
// A measure is only compared with one of the same test, name, kind and section,
// where the test passed in both runs, under equal conditions, with an equal seed
// and number of executions. Whatever is not compared is named with the reason,
// and a comparison of nothing never says that there is no difference.
//
// The package is not responsible for choosing the runs, for what the names mean,
// or for showing anything.
package metrics
