// Package pragma finds the latest version of a compiler that sources take:
// their `pragma solidity` lines.
//
// It knows the common forms of version ranges, and takes any version for a
// range that it cannot read: the compiler decides in the end.
package pragma
