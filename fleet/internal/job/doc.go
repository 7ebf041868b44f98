// Package job is a run on a fleet as its machines see it: what is to run, what they found,
// and what all of that proves together.
//
// It keeps the promise of proctor in the face of machines that die. What a test showed is
// stored before anybody hears of it. Of each part, the first result that is stored is the
// one that counts; what other attempts saw fail stays as evidence beside it.
package job
