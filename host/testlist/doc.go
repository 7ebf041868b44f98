// Package testlist lists the tests that there are, without running them.
package testlist
