// Package pick decides which of a run's failures an answer shows: first those that hide
// others, and only a few of each place. It does not show them.
package pick
