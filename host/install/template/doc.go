// Package template makes the repository of a new plugin, in Go, Node or Python: one
// that builds, tests itself, and passes the conformance kit. The plugin in it is
// whole: it runs programs that print TAP. Its author changes it, piece by piece, into
// the plugin of another runner.
//
// What is under files is written as it stands, with the ending .tmpl taken off and
// the words between at signs replaced, in names as in contents. It is not responsible
// for building it.
package template
