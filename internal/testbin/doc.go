// Package testbin builds proctor and its plugins for the tests of several packages, once
// for all of them and for all runs of the suite between two edits.
package testbin
