// Package artifacts keeps what happened: the record of each run, and for each
// session the last run of each language.
//
// A session is what PROCTOR_SESSION names, a CI run, a terminal session, or consecutive
// commands without any of these. Everything is in files below the workspace's .proctor
// directory, which ignores itself in git; if the workspace is not writable, below the
// user's state folder. Files are replaced atomically or only appended to, so that a
// killed process leaves nothing half-written but the end of its own run's lists.
//
// What a run proved is up to package verdict, what is outstanding to package
// outstanding; this package does not classify tests over many runs.
package artifacts
