// Package lazyregexp provides regular expressions for package variables that are compiled
// on first use: no command needs more than a few of the sixty, and compiling all of them
// took a tenth of proctor's start. It follows the go command's package of the same name,
// with the methods that are needed here.
package lazyregexp
