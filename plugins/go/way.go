package gotest

import (
	"runtime"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/sdk"
)

// way returns the way in which a command with these arguments, including GOFLAGS, runs
// tests. It omits what a rerun omits, and what only affects verbosity, parallelism and
// timeouts.
func (p project) way(args goflags.Args) *sdk.Way {
	way := &sdk.Way{}
	values := map[string]string{}
	for _, flag := range slices.Concat(variableFlags(p.workspace.Env["GOFLAGS"]), args.Flags) {
		values[flag.Name] = flag.Value
		switch {
		case isNeutral(flag) || flag.Name == "vet" && flag.Value == "", isSwitch(flag.Name) && !flag.Bool():
			delete(values, flag.Name)
		case isSwitch(flag.Name):
			values[flag.Name] = "true"
		case flag.Name == "tags":
			values[flag.Name] = tagList(flag.Value)
		}
	}
	for name, value := range values {
		word := "-" + name + "=" + value
		if value == "true" {
			word = "-" + name
		}
		if name == "short" || name == "vet" && value == "off" {
			way.Narrows = append(way.Narrows, word)
		} else {
			way.Decides = append(way.Decides, word)
		}
	}
	if words := args.Trailing(); len(words) > 0 {
		way.Decides = append(way.Decides, strings.Join(words, " "))
	}
	for _, name := range slices.Concat(effective, building, resolving, compiling) {
		if value := p.workspace.Env[name]; value != "" && !isDefault(name, value) {
			way.Decides = append(way.Decides, name+"="+value)
		}
	}
	slices.Sort(way.Decides)
	slices.Sort(way.Narrows)
	return way
}

// isNeutral reports whether a flag does not affect how a test ends.
func isNeutral(flag goflags.Flag) bool {
	switch flag.Name {
	case "json", "fullpath", "v", "x", "work", "a", "n", "p", "parallel", "timeout", "artifacts", "benchmem", "benchtime", "outputdir",
		"buildvcs", "modcacherw", "blockprofilerate", "memprofilerate", "mutexprofilefraction",
		"debug-actiongraph", "debug-runtime-trace", "debug-trace":
		return true
	}
	return !keptInRerun(flag)
}

// isSwitch reports whether a flag is boolean.
func isSwitch(name string) bool {
	switch name {
	case "asan", "cover", "linkshared", "msan", "race", "short", "trimpath":
		return true
	}
	return false
}

// tagList normalizes a list of build tags: they may be separated by commas or,
// formerly, by spaces, in any order.
func tagList(text string) string {
	tags := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	slices.Sort(tags)
	return strings.Join(slices.Compact(tags), ",")
}

// isDefault reports whether a variable has a value that changes nothing.
func isDefault(name, value string) bool {
	switch name {
	case "GOFLAGS":
		return true // its flags are listed one by one
	case "GOOS":
		return value == runtime.GOOS
	case "GOARCH":
		return value == runtime.GOARCH
	case "GOTOOLCHAIN":
		return value == "local" || value == "auto" || value == "path"
	case "GOWORK":
		return value == "auto"
	}
	return false
}
