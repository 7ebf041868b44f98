// Package api holds the Run object: what a run was, what it found and what
// it proved. It is the public contract proctor.run/v1, printed by --json and by
// the MCP front alike; docs/run-object.md describes every field. Fields are
// only added.
//
// It decides nothing: verdicts come from package verdict, the outcomes of a
// rerun from package outstanding.
package api
