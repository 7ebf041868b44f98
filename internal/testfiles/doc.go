// Package testfiles writes the files that a test works on.
package testfiles
