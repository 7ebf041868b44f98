// Package artifacts keeps the files of runs, and for each session the last run of each
// language.
//
// A session is what PROCTOR_SESSION names, a CI run, a terminal session, or consecutive
// commands without any of these. All files are below the workspace's .proctor directory,
// which git ignores, or below the user's state folder if the workspace is not writable.
// They are replaced atomically or only appended to, so a killed process leaves nothing
// half-written but the end of its own run's lists.
//
// What a run proved is up to package verdict, what is outstanding to package outstanding,
// and what many runs say about a test to package classify.
package artifacts
