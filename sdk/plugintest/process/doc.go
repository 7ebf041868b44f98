// Package process starts a plugin binary the way a host does and speaks to it,
// with nothing between: the process, its first line, a connection.
//
// It is for checking plugins and for talking to one by hand, so it shows what a
// host hides. It is not responsible for protecting anybody from a plugin beyond
// ending it, nor for judging what it says.
package process
