// Package held checks whether an installed plugin is the one that a lock file means,
// before it is launched and on request.
//
// It executes nothing and repairs nothing. Package plugin decides which lock file
// counts; package install repairs.
package held
