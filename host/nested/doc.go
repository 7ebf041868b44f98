// Package nested finds the projects below a directory, such as the modules of a repository
// that has none at its top, and which of them somebody means.
//
// It is not responsible for running them, nor for projects above the directory.
package nested
