package gotest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/plugins/go/internal/pattern"
	"github.com/proctorhq/proctor/sdk"
)

// readArguments validates the arguments passed through to "go test", and those added by
// the environment.
func readArguments(words []string, env map[string]string) (goflags.Args, error) {
	args, err := goflags.Parse(words)
	if missing, ok := errors.AsType[*goflags.MissingValueError](err); ok {
		return args, invalidArguments("%v: write it as %s=VALUE", missing, missing.Flag)
	}
	if err != nil {
		return args, invalidArguments("%v", err)
	}
	for _, flag := range args.Flags {
		if why, refused := refuseFlag(flag); refused {
			return args, invalidArguments("go test %s cannot be used here: %s", flag.Words[0], why)
		}
		switch flag.Name {
		case "run", "skip", "bench", "fuzz":
			// A test binary rejects -bench only after its tests have run.
			if _, err := pattern.Parse(flag.Value); err != nil {
				return args, invalidArguments("-%s %q is not a regular expression that go test takes: %v", flag.Name, flag.Value, err)
			}
		}
	}
	for _, word := range args.Tail {
		if strings.HasPrefix(word, "-test.") || strings.HasPrefix(word, "--test.") {
			return args, invalidArguments("%s follows -args, where it overrides what proctor asks for: write it as a flag of go test, before -args", word)
		}
	}
	if err := checkEnvironmentFile(env); err != nil {
		return args, err
	}
	return args, checkVariable(env["GOFLAGS"])
}

// refuseFlag says why a flag cannot be used, and what to do instead: with it "go test"
// does not run tests, or its results cannot be read.
func refuseFlag(flag goflags.Flag) (why string, refused bool) {
	switch flag.Name {
	case "c":
		return "it compiles tests and does not run them; leave it out, or run go test yourself", flag.Bool()
	case "i":
		return "it installs packages and runs nothing; leave it out", flag.Bool()
	case "n":
		return "it prints commands and runs nothing; leave it out, or run go test yourself", flag.Bool()
	case "json":
		return "results are read from the JSON; leave it out", !flag.Bool()
	case "list":
		return "it lists tests and does not run them; leave it out, or run go test yourself", true
	case "count":
		n, err := strconv.Atoi(flag.Value)
		return "it runs nothing; leave it out", err == nil && n < 1
	case "h", "help":
		return "it prints help and runs nothing; run go help test yourself", true
	case "C":
		return "results would be about another directory; choose the workspace with proctor's own -C", true
	}
	return "", false
}

// checkVariable rejects a GOFLAGS that would silently restrict every run: a pass would
// claim more than was run.
func checkVariable(text string) error {
	for _, flag := range variableFlags(text) {
		if why, refused := refuseFlag(flag); refused && flag.Name != "json" {
			return invalidArguments("GOFLAGS has %s: %s", flag.Words[0], why)
		}
		if flag.Name == "overlay" {
			return invalidArguments("GOFLAGS has %s, which replaces source files in every run: take it out of GOFLAGS and give it as a runner argument, so that the run records it", flag.Words[0])
		}
		if flag.Name == "run" || flag.Name == "skip" {
			return invalidArguments("GOFLAGS has %s, which narrows every run: take it out of GOFLAGS and select tests in the request, or give it as a runner argument", flag.Words[0])
		}
	}
	return nil
}

// variableFlags parses GOFLAGS. A malformed list has no flags: the go command rejects
// it.
func variableFlags(text string) []goflags.Flag {
	words, err := goflags.Split(text)
	if err != nil {
		return nil
	}
	args, err := goflags.Parse(words)
	if err != nil {
		return nil
	}
	return args.Flags
}

// userExec returns the program of the user's own -exec, from the arguments or GOFLAGS.
func userExec(args goflags.Args, goflagsVariable string) string {
	if program, set := args.Get("exec"); set {
		return program
	}
	program, _ := goflags.Args{Flags: variableFlags(goflagsVariable)}.Get("exec")
	return program
}

func invalidArguments(format string, values ...any) error {
	return &sdk.Error{Reason: sdk.InvalidArguments, Message: fmt.Sprintf(format, values...)}
}

func invalidSelection(format string, values ...any) error {
	return &sdk.Error{Reason: sdk.InvalidSelection, Message: fmt.Sprintf(format, values...)}
}
