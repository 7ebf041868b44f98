// Package brokenplugin is a plugin for a made-up language. It breaks one rule of the
// protocol, according to the name of its mode, or none. It tests the conformance kit: a
// check that cannot fail proves nothing.
//
// Its runner prints "run NAME", "ok NAME", "bad NAME FILE:LINE MESSAGE", and "| TEXT"
// for the output of a test.
package brokenplugin
