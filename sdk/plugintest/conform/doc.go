// Package conform holds a plugin against the rules of sdk/PROTOCOL.md, point by
// point: over a real process, which it starts as a host does, or over a
// connection.
//
// [Points] are the rules, [Check] holds a plugin against all of them, and a [Kit]
// does so one at a time. A point is ok only when something was seen that would
// have been otherwise if the rule were broken; what could not be seen is "not
// checked", and the whole is no pass then. A plugin's author in Go calls
// plugintest.Run; everybody else runs "proctor plugin check".
//
// The package is not responsible for judging whether results are right beyond
// the cases it is given: it knows no runner. It executes no command that a plugin
// composes.
package conform
