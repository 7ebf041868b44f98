// Package gotest is proctor's detector for Go: it composes "go test -json"
// commands and reads their output. detector.go is the entry; testcmd.go,
// rerun.go and list.go are the three kinds of commands.
//
// A rerun is one command wherever it can be. Where every package needs the same
// expression that is a plain "go test -run"; otherwise the plugin's own binary
// stands in between as "go test -exec" and gives each package its own. See
// [Detector.RerunCmd].
//
// The package starts no process, decides no verdict and knows no session.
// Reading the output is internal/parse, reading sources internal/source,
// expressions internal/pattern, arguments internal/goflags.
package gotest
