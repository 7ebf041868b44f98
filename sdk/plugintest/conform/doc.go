// Package conform checks a plugin against the rules of sdk/PROTOCOL.md, point by point:
// either as a real process, which it starts like a host, or over a connection.
//
// [Points] are the rules, [Check] checks a plugin against all of them, and a [Kit] does
// so one at a time. A point is ok only if something was observed that would have been
// different if the rule were broken. What could not be observed is "not checked", and
// then the result as a whole is not a pass. Authors of plugins in Go call
// plugintest.Run; everybody else runs "proctor plugin check".
//
// The package knows no runner, so beyond the cases it is given it cannot judge whether
// results are right. It executes no command that a plugin composes.
package conform
