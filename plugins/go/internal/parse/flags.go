package parse

import (
	"slices"
	"strings"
)

// flags is what the arguments of the recorded command tell.
type flags struct {
	// fullpath: places are absolute paths.
	fullpath bool
	// repeats: tests may run more than once.
	repeats bool
	// verbose: the user asked for -v.
	verbose bool
	// kept are the flags that a reproduction needs too.
	kept []string
}

// keptFlags change what is built or how the tests behave. Those with a value
// may have it in the next argument.
var keptFlags = map[string]bool{
	"race": false, "msan": false, "asan": false, "short": false, "trimpath": false, "modcacherw": false,
	"tags": true, "mod": true, "modfile": true, "overlay": true, "cpu": true, "gcflags": true, "ldflags": true,
	"asmflags": true, "buildmode": true, "compiler": true, "vet": true, "shuffle": true, "parallel": true,
}

// readFlags reads the arguments of go test up to those of the tests.
func readFlags(argv []string) flags {
	var f flags
	for i := 0; i < len(argv); i++ {
		name, value, hasValue := strings.Cut(strings.TrimLeft(argv[i], "-"), "=")
		if !strings.HasPrefix(argv[i], "-") {
			continue
		}
		if name == "args" {
			break
		}
		name = strings.TrimPrefix(name, "test.")
		switch takesValue, kept := keptFlags[name]; {
		case kept && takesValue && !hasValue && i+1 < len(argv):
			f.kept = append(f.kept, argv[i], argv[i+1])
			i++
		case kept:
			f.kept = append(f.kept, argv[i])
		case name == "fullpath":
			f.fullpath = value != "false"
		case name == "v":
			f.verbose = value != "false"
		case name == "count" && !hasValue && i+1 < len(argv):
			f.repeats = argv[i+1] != "1"
			i++
		case name == "count":
			f.repeats = value != "1"
		}
		if name == "cpu" {
			f.repeats = f.repeats || slices.ContainsFunc(argv[i:min(i+1, len(argv))], func(a string) bool { return strings.Contains(a, ",") })
		}
	}
	return f
}
