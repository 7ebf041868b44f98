package cli

import (
	"regexp"
	"strings"
)

// The ways in which lines stand behind a file. A column, as compilers print it, says
// nothing that is asked; a colon at the end is left of a message.
var (
	rangeTarget  = regexp.MustCompile(`^(.+):([0-9]+-[0-9]+)(?::[0-9]+)?:?$`)
	columnTarget = regexp.MustCompile(`^(.+):([0-9]+):[0-9]+:?$`)
	lineTarget   = regexp.MustCompile(`^(.+):([0-9]+):?$`)
)

// parseTarget takes FILE[:LINE[-LINE]] apart. A file may have colons in its name, so
// that of several readings the first counts of which the file exists, and else the
// first.
func parseTarget(arg string, exists func(file string) bool) (file, lines string) {
	if exists(arg) {
		return arg, ""
	}
	type reading struct{ file, lines string }
	var readings []reading
	for _, form := range []*regexp.Regexp{rangeTarget, columnTarget, lineTarget} {
		if m := form.FindStringSubmatch(arg); m != nil {
			readings = append(readings, reading{m[1], m[2]})
		}
	}
	for _, r := range readings {
		if exists(r.file) {
			return r.file, r.lines
		}
	}
	if len(readings) > 0 {
		return readings[0].file, readings[0].lines
	}
	// What stands behind an existing file was meant for lines: whoever reads them says
	// what is wrong with them.
	if at := strings.LastIndexByte(arg, ':'); at > 0 && exists(arg[:at]) {
		return arg[:at], arg[at+1:]
	}
	return arg, ""
}
