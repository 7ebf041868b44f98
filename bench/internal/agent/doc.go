// Package agent imitates a coding agent as far as a script can: it runs the tests of a
// broken module, reads the results, fixes what they point to, reruns what failed, and so on
// until everything has passed. It counts what a model would have to read: the answers of
// `proctor mcp`, or the output of `go test` in a shell.
//
// For each fault, the script knows what a reader would find at the place that a result
// names. It knows neither where the faults are nor how many: only a result makes it fix
// one, and a result that says too little leaves it stuck, which is an error.
//
// The package does not decide what a figure should be, and says nothing about models: the
// number of tokens is an estimate.
package agent
