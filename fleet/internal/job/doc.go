// Package job is a run on a fleet as its machines see it: what to run, what they found, and
// what all of that proves together.
//
// It keeps proctor's promise when machines die. A test's result is stored before anybody is
// told of it. For each part, the first result stored is the one that counts; failures seen
// by other attempts stay on record as evidence.
package job
