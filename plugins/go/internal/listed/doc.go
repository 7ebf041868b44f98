// Package listed keeps what go list printed, and recognizes when it would print the same
// again ([Look], [Read], [Write]).
//
// What go list prints is decided by the settings, the module files, which files are in
// which directories, and the heads of source files: constraints, package clauses and
// imports. All of these are read and compared each time; no modification time is trusted.
// Whatever is doubtful is not kept: errors, packages that can change and are in none of the workspace's
// modules, overlays. What the bodies of functions say is not in the listing.
package listed
