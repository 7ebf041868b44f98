// Package pragma finds the latest compiler version that sources accept according
// to their `pragma solidity` lines.
//
// It knows the common forms of version ranges. A range that it cannot parse accepts
// any version: the compiler decides in the end.
package pragma
