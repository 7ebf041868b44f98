// Package historytest holds a [history.Store] to its contract: [Run] is the suite
// that every database has to pass. [Fill] makes a large history, to measure one
// with.
//
// The package is not responsible for how a database survives what happens to its
// files; that is tested where the files are known.
package historytest
