// Package triage finds out which failures the changes introduced: it runs the failing
// tests on a clean checkout of their base.
package triage
