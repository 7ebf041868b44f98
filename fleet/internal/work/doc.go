// Package work is what the engine hands out: a workflow is a run, an activity a batch of it.
// An activity whose tests fail has succeeded. Only what keeps a machine from running them is
// an error, after which the engine hands out the batch again.
package work
