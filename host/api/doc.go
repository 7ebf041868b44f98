// Package api holds the Run object: what a run was, what it found and what
// it proved. It is the public contract proctor.run/v1, printed by --json and by
// the MCP front alike; docs/run-object.md describes every field. Fields are
// only added.
//
// The package is not responsible for deciding anything: a verdict comes from
// package verdict, a rerun's outcomes from package outstanding.
package api
