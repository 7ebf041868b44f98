// Package triage finds out which failures the user's changes introduced: it runs the
// failing tests on a clean checkout of the base.
package triage
