// Package agent is a coding agent as far as a script can be one: it runs the
// tests of a broken module, reads the results, mends what they lead to, runs
// again what failed, and so on until everything has passed. What it reads is
// counted, as a model would have to read it: the answers of `proctor mcp`, or the
// output of `go test` in a shell.
//
// The script knows of each fault what somebody would find out who opens the place
// that a result names. It does not know where faults are, nor how many: only what
// a result says makes it mend one, and a result that says too little leaves it
// stuck, which is an error.
//
// The package does not decide what a figure should be, and it says nothing about
// models: the number of tokens is an estimate.
package agent
