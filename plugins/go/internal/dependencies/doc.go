// Package dependencies tells, by what "go list -e -deps -test -json" prints, what the
// test binaries of packages are built from ([Graph]): which files, where a file that
// appears would count too, and whether a test binary may depend on more than that.
//
// Parts are packages, once with the files that other packages import and once with
// those of its tests, the files that say which modules are used, and the toolchain.
// A package of the standard library or of the module cache is no part: neither
// changes without the version that is named in the files of the other two. That the
// go command compiles a package a second time for a test, or for a profile, makes no
// further part.
//
// A suite is opaque, which is that it may depend on anything, where
//
//   - a package cannot be loaded: what it would be built from is not known;
//   - a package uses cgo, package plugin, or a library that reads files behind the back
//     of package os: what it reads at run time is not seen. Assembly is not opaque, as
//     it is a file of its package;
//   - an -overlay puts other files in place of those that are named.
//
// What C or assembly files include from other directories is no part either: the go
// command does not build anew when that changes.
//
// It is not responsible for reading the output of the go command, nor for tests.
package dependencies
