// Package render renders what a run found: the seed tools' sentences, the
// failure listing, the raw form and the summary for a terminal. Both fronts use
// it, so that the same thing is always said in the same words.
//
// It does not print, color live displays, or decide anything about a run.
package render
