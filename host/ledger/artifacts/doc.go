// Package artifacts keeps what happened: the record of each run, and for each
// session the last run of each language and its outstanding tests.
//
// A session is what PROCTOR_SESSION names, a run of CI, a terminal session, or what
// follows one another without any of these. Everything lives in files below the workspace's .proctor directory,
// which ignores itself in git; where the workspace cannot be written, below the
// user's state folder. Files are replaced whole or only appended to, so that a
// killed process leaves nothing half-written but the end of its own run's lists.
//
// The package is not responsible for what a run proved (package verdict), what
// is outstanding (package outstanding), or for classifying tests over many runs.
package artifacts
