package testexec

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
)

// binary is a test binary with its arguments from the go command.
type binary struct {
	// program is the binary, preceded by the programs that run it.
	program []string
	// flags are those of every run, rest is what follows them.
	flags, rest []string
	// marked reports whether its events begin with a byte that nothing else begins
	// with, as since Go 1.20.
	marked bool
}

// perRun are the flags that each run sets for itself.
var perRun = []string{"coverprofile", "gocoverdir", "run", "skip", "testlogfile", "timeout"}

// readBinary splits the arguments of the go command: programs, the binary, the flags of
// package testing, and the user's arguments for the tests.
func readBinary(args []string) (binary, error) {
	first := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-test.") })
	if first <= 0 {
		return binary{}, errors.New("no test binary was named")
	}
	b := binary{program: args[:first]}
	for at, arg := range args[first:] {
		name, isFlag := strings.CutPrefix(arg, "-test.")
		if !isFlag {
			b.rest = args[first+at:]
			break
		}
		name, _, _ = strings.Cut(name, "=")
		if !slices.Contains(perRun, name) {
			b.flags = append(b.flags, arg)
		}
		b.marked = b.marked || arg == "-test.v=test2json"
	}
	return b, nil
}

// path returns the path of the binary.
func (b binary) path() string { return b.program[len(b.program)-1] }

// contains reports which of some texts a program contains.
func (b binary) contains(texts ...string) []bool {
	data, _ := os.ReadFile(b.path()) // nothing is in what cannot be read
	found := make([]bool, len(texts))
	for i, text := range texts {
		found[i] = bytes.Contains(data, []byte(text))
	}
	return found
}

// drawsLots names the function with which a program hashes its own file when it starts, as
// protobuf does to draw lots that nothing should rely on: how its texts are spaced is another in
// each build.
const drawsLots = "google.golang.org/protobuf/internal/detrand.binaryHash"

// argv returns the command line of a run with some flags of its own.
func (b binary) argv(own ...string) []string {
	return slices.Concat(b.program, own, b.flags, b.rest)
}
