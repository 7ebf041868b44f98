// Package concise shortens what a failure says before it is rendered: it takes out what a
// message repeats of the compared values, folds further messages that repeat, and cuts
// what is long. It neither indents nor colors.
package concise
