package goflags

import (
	"strconv"
	"strings"
)

// Flag is one flag of the go command.
type Flag struct {
	// Name has neither dashes nor the prefix "test.".
	Name string
	// Value is "true" for a boolean flag without one.
	Value string
	// Words are the words as written.
	Words []string
}

// Bool returns the value of a boolean flag; any invalid value counts as true.
func (f Flag) Bool() bool {
	value, err := strconv.ParseBool(f.Value)
	return err != nil || value
}

// takesValue reports whether a flag needs a value, for the flags of "go test" up to Go
// 1.27 (go help build, go help testflag). Unknown flags end the list of packages, so
// the difference matters.
func takesValue(name string) (needed, known bool) {
	switch name {
	case "a", "artifacts", "asan", "benchmem", "buildvcs", "c", "cover", "failfast", "fullpath", "h", "help", "i",
		"json", "linkshared", "modcacherw", "msan", "n", "race", "short", "trimpath", "v", "work", "x":
		return false, true
	case "C", "asmflags", "bench", "benchtime", "blockprofile", "blockprofilerate", "buildmode", "compiler", "count",
		"covermode", "coverpkg", "coverprofile", "cpu", "cpuprofile", "debug-actiongraph", "debug-runtime-trace",
		"debug-trace", "exec", "fuzz", "fuzzminimizetime", "fuzztime", "gccgoflags", "gcflags", "installsuffix",
		"ldflags", "list", "memprofile", "memprofilerate", "mod", "modfile", "mutexprofile", "mutexprofilefraction",
		"o", "outputdir", "overlay", "p", "parallel", "pgo", "pkgdir", "run", "shuffle", "skip", "tags", "timeout",
		"toolexec", "trace", "vet":
		return true, true
	}
	return false, false
}

// takesTestPrefix reports whether the flag may also be written with the prefix "test.".
func takesTestPrefix(name string) bool {
	switch name {
	case "artifacts", "bench", "benchmem", "benchtime", "blockprofile", "blockprofilerate", "count", "coverprofile",
		"cpu", "cpuprofile", "failfast", "fullpath", "fuzz", "fuzzminimizetime", "fuzztime", "list", "memprofile",
		"memprofilerate", "mutexprofile", "mutexprofilefraction", "outputdir", "parallel", "run", "short", "shuffle",
		"skip", "timeout", "trace", "v":
		return true
	}
	return false
}

// cutFlag splits a word into the name of a flag and a value. isFlag is false if the word is
// not a flag.
func cutFlag(word string) (name, value string, hasValue, isFlag bool) {
	if len(word) < 2 || word[0] != '-' {
		return "", "", false, false
	}
	name = strings.TrimPrefix(word[1:], "-")
	name, value, hasValue = strings.Cut(name, "=")
	if short, found := strings.CutPrefix(name, "test."); found && takesTestPrefix(short) {
		name = short
	}
	return name, value, hasValue, true
}
