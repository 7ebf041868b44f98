// Package brokenplugin is a plugin of a made-up language that breaks one rule of
// the protocol, by the name of its mode, or none. The tests of the conformance kit
// hold the kit against it: a check that cannot fail proves nothing.
//
// Its runner prints "run NAME", "ok NAME", "bad NAME FILE:LINE MESSAGE", and
// "| TEXT" for what a test prints. It is not responsible for judging anything.
package brokenplugin
