// Package work is what the engine hands out: a workflow is a run, an activity a batch of it.
// A test that fails is an activity that succeeds; only what keeps a machine from its work
// is an error, upon which the engine hands out the batch again.
package work
