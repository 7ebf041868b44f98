// Package nested finds the projects below a directory, such as the modules of a repository
// that has none at its top, and decides which of them a user means.
//
// It is not responsible for running them, nor for projects above the directory.
package nested
