// Command dist makes a release of the checked-out commit: for each platform an archive with
// proctor, its plugins, man pages, completions and the licenses of what is linked, and a
// bill of materials; for Linux a Debian package; a Homebrew formula, and checksums of all.
// The same commit gives the same bytes with the same release of Go. docs/releasing.md says
// how to use it.
package main
