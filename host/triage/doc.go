// Package triage tells whether what fails was introduced by the changes: it runs the
// failing tests on a clean checkout of their base.
package triage
