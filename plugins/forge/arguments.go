package forge

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
	"github.com/proctorhq/proctor/sdk"
)

// readArguments validates the arguments passed through to "forge test".
func readArguments(words []string) (arguments.List, error) {
	list, err := arguments.Parse(words)
	var missing *arguments.MissingValueError
	if errors.As(err, &missing) {
		return nil, invalidArguments("%v: write it as %s VALUE", missing, missing.Option)
	}
	if err != nil {
		return nil, invalidArguments("%v", err)
	}
	for _, option := range list {
		if why, refused := refuseOption(option.Name); refused {
			return nil, invalidArguments("forge test %s cannot be used here: %s", option.Words[0], why)
		}
	}
	for _, name := range []string{"match-path", "match-contract", "match-test", "no-match-path", "no-match-contract", "no-match-test", "fuzz-seed"} {
		if list.Count(name) > 1 {
			return nil, invalidArguments("--%s is given more than once, which forge does not accept: combine the patterns, as in a|b or {a,b}", name)
		}
	}
	if _, set := list.Get("match-path"); list.Count("") > 1 || list.Count("") == 1 && set {
		return nil, invalidArguments("%q and another path select tests, but forge accepts only one: combine them, as in --match-path '{a,b}'", pathArgument(list))
	}
	return list, nil
}

// pathArgument returns the first word that belongs to no option: forge takes it as a
// path to match.
func pathArgument(list arguments.List) string {
	at := slices.IndexFunc(list, func(o arguments.Option) bool { return o.Name == "" })
	if at < 0 {
		return ""
	}
	return list[at].Value()
}

// refuseOption says why an option cannot be used, and what to do instead: with it forge does
// not run tests, or its results cannot be read.
func refuseOption(name string) (why string, refused bool) {
	switch name {
	case "list":
		return "it lists tests and runs none; leave it out, or run forge test --list yourself", true
	case "gas-report":
		return "forge prints a report in place of the results, and other gas figures; leave it out: every test's gas is recorded anyway", true
	case "summary", "detailed":
		return "forge prints a table in place of the results; leave it out", true
	case "junit", "md", "json-file", "machine":
		return "results are read from the JSON that forge prints; leave it out", true
	case "quiet":
		return "forge then prints no results; leave it out", true
	case "color":
		return "forge refuses it together with --json; leave it out", true
	case "show-progress":
		return "forge refuses it together with --json; leave it out", true
	case "live-logs":
		return "logs would appear among the results; leave it out: the logs of each test are recorded anyway", true
	case "debug", "dump", "flamegraph", "flamechart":
		return "it is for debugging one test by hand; leave it out, or run forge test yourself", true
	case "watch", "watch-delay", "run-all", "rerun-failed", "no-restart":
		return "it runs until it is stopped; leave it out, or run forge test yourself", true
	case "rerun":
		return "forge keeps no failures of runs with --json; leave it out: a rerun runs what failed", true
	case "allow-failure":
		return "failures would not count; leave it out", true
	case "root":
		return "results would be about another project; choose it with proctor's own -C", true
	case "config-path":
		return "the settings would not be those that proctor reads; put them into a profile of foundry.toml and set FOUNDRY_PROFILE", true
	case "help", "version":
		return "it prints help and runs nothing; run forge test --help yourself", true
	}
	return "", false
}

// userOption rejects the options that every command already has.
func userOption(option arguments.Option) bool {
	return option.Name != "json" && option.Name != "verbosity" && option.Name != "fuzz-seed"
}

// verbosityOption returns the option for at least this level, or for the user's if higher.
func verbosityOption(list arguments.List, level int) string {
	// Five is the highest that forge knows.
	return "-" + strings.Repeat("v", max(level, min(list.Count("verbosity"), 5)))
}

func invalidArguments(format string, values ...any) error {
	return &sdk.Error{Reason: sdk.InvalidArguments, Message: fmt.Sprintf(format, values...)}
}

func invalidSelection(format string, values ...any) error {
	return &sdk.Error{Reason: sdk.InvalidSelection, Message: fmt.Sprintf(format, values...)}
}

// wayOf returns the way in which a command with these arguments runs tests, without what
// selects tests, what is printed, how many run in parallel, and the seed, which a rerun
// has from the run.
func wayOf(ws sdk.Workspace, list arguments.List) *sdk.Way {
	w := &sdk.Way{}
	for _, option := range list {
		if !userOption(option) || isNeutral(option) {
			continue
		}
		word := "--" + option.Name
		if len(option.Values) > 0 {
			word += "=" + strings.Join(option.Values, " ")
		}
		w.Decides = append(w.Decides, word)
	}
	if profile := ws.Env[profileVariable]; profile != "" && profile != "default" {
		w.Decides = append(w.Decides, profileVariable+"="+profile)
	}
	slices.Sort(w.Decides)
	return w
}

// isNeutral reports whether an option does not affect results.
func isNeutral(option arguments.Option) bool {
	if option.Name == "" || narrowsRun(option) || strings.HasPrefix(option.Name, "no-match-") {
		return true
	}
	switch option.Name {
	case "color", "detailed", "fail-fast", "force", "fuzz-seed", "gas-report", "json", "junit", "live-logs", "no-cache", "quiet", "rerun",
		"show-progress", "summary", "suppress-successful-traces", "threads", "trace-depth", "verbosity", "ast", "build-info", "build-info-path",
		"out", "cache-path":
		return true
	}
	return false
}
