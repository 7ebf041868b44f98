// Package testlist lists the existing tests without running them.
package testlist
