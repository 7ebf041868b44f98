// Package detectorpb is the detector protocol as generated from detector.proto.
//
// Plugin authors in Go use package sdk instead: its hand-written types stay the
// same when the protocol gets a new major version. [Source] is written by hand;
// `buf generate` makes the rest.
package detectorpb
