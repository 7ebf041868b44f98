// Package gotest is proctor's detector for Go: it composes "go test -json"
// commands and reads their output. detector.go is the entry; testcmd.go,
// rerun.go and list.go are the three kinds of commands.
//
// A rerun is one command if possible. If every package needs the same expression
// that is a plain "go test -run"; otherwise the plugin's own binary is inserted as
// "go test -exec" and gives each package its own. See [Detector.RerunCmd].
//
// The package starts no process, decides no verdict and knows no session.
// Output is read by internal/parse, sources by internal/source, expressions by
// internal/pattern, arguments by internal/goflags.
package gotest
