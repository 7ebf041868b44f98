// Package dependencies derives, from the output of "go list -e -deps -test -json", what
// the test binaries of packages are built from ([Graph]): which files, where a new file
// would count too, and whether a test binary may depend on more than that.
//
// Parts are packages, once with the files that other packages import and once with
// those of its tests, the files that say which modules are used, the toolchain, and what
// -overlay, -exec and -toolexec name.
// A package of the standard library or of the module cache is not a part: neither
// changes without the version named in the files of the other two. Packages that the
// go command compiles a second time for a test, or for a profile, are not parts either.
//
// A suite is opaque, that is, it may depend on anything, if
//
//   - a package cannot be loaded: it is unknown what it would be built from;
//   - a package uses cgo, package plugin, or a library that reads files without package
//     os: what it reads at run time is unknown. Assembly is not opaque: it is a file
//     of its package;
//   - an -overlay replaces named files.
//
// What C or assembly files include from other directories is not a part: the go command
// does not rebuild when that changes.
//
// It does not read the output of the go command, and knows nothing of tests.
package dependencies
