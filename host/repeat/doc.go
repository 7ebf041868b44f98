// Package repeat runs the same tests again and again until they do not pass, and says how
// often they did: what fails on unchanged sources now and then is flaky. Each run is a run
// like any other, and on record.
//
// It is not responsible for retrying what failed, which package engine does within a run.
package repeat
