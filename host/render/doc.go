// Package render renders what a run found: the seed tools' sentences, the
// failure listing, the raw form and the summary for a terminal. Both fronts use
// it, so that the same thing is always said in the same words.
//
// It is not responsible for printing, colours of a live display, or deciding
// anything about a run.
package render
