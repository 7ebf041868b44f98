// Package template creates the repository of a new plugin, in Go, Node or Python,
// which builds, tests itself, and passes the conformance kit. The plugin is complete:
// it runs programs that print TAP. Its author changes it, piece by piece, into the
// plugin of another runner.
//
// Files below files are copied without the suffix .tmpl and with the words between at
// signs replaced, in names and contents. The package does not build the result.
package template
