package forge

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

// verbosityLogs is the verbosity at which forge prints what tests log. Without it a failure of
// an assertion library that only logs has no message at all.
const verbosityLogs = 2

// TestCmd implements [sdk.Detector]. The command is
//
//	forge test --json -vv --fuzz-seed SEED FILTERS ARGUMENTS
//
// where ARGUMENTS are the user's own, after a preparation if needed. A seed in the
// arguments or the configuration replaces ours. Forge has no timeout of its own.
func (d *Detector) TestCmd(ctx context.Context, req sdk.TestRequest) (sdk.Plan, error) {
	list, err := readArguments(req.RunnerArgs)
	if err != nil {
		return sdk.Plan{}, err
	}
	req.Selection = selectNamed(req.Workspace.Root, req.Selection)
	filters, warnings, err := composeFilters(req.Selection, list)
	if err != nil {
		return sdk.Plan{}, err
	}
	if value, set := list.Get("fuzz-seed"); set && req.Seed != "" && !sameNumber(value, req.Seed) {
		return sdk.Plan{}, invalidArguments("the seed %s and the runner argument --fuzz-seed %s differ: give one of them", req.Seed, value)
	}
	s := settings.Read(req.Workspace)
	if err := checkMatched(req.Workspace.Root, s.Libs, req.Selection, list); err != nil {
		return sdk.Plan{}, err
	}
	seed, err := fuzzSeed(list, s, req.Seed)
	if err != nil {
		return sdk.Plan{}, err
	}
	argv := slices.Concat(testArgv(list, seed, verbosityLogs), filters, list.Words(userOption))
	return sdk.Plan{
		Commands:   append(prepareCommands(ctx, req.Workspace, s.Under(argv), list, filters), newCommand(s, argv)),
		Warnings:   slices.Concat(warnings, s.Warnings, warnOfDropped(req.Workspace), warnOfFailFast(list)),
		NarrowedBy: configuredFilters(s, argv),
		Seed:       seed,
		Way:        wayOf(req.Workspace, list),
		Outputs:    outputPaths(req.Workspace.Root, s.Under(argv)),
	}, nil
}

// outputPaths returns what forge writes inside the workspace.
func outputPaths(root string, s settings.Settings) []string {
	var paths []string
	for _, path := range []string{s.Out, s.CachePath} {
		if filepath.IsAbs(path) {
			rel, err := filepath.Rel(root, path)
			if err != nil {
				continue
			}
			path = rel
		}
		if filepath.IsLocal(path) && filepath.Clean(path) != "." {
			paths = append(paths, filepath.ToSlash(path))
		}
	}
	return paths
}

// testArgv returns the beginning of a command that runs tests.
func testArgv(list arguments.List, seed string, level int) []string {
	return []string{tool, "test", "--json", verbosityOption(list, level), "--fuzz-seed", seed}
}

// fuzzSeed returns the seed of a command: the user's, else the configured one, else a
// random one, so that what happened by chance can be reproduced.
func fuzzSeed(list arguments.List, s settings.Settings, asked string) (string, error) {
	if value, set := list.Get("fuzz-seed"); set {
		return value, nil // forge validates it
	}
	if asked == "" {
		return cmp.Or(s.FuzzSeed, fmt.Sprintf("%#x", 1+rand.Uint64N(math.MaxUint64))), nil
	}
	number, ok := new(big.Int).SetString(asked, 0)
	if !ok || number.Sign() < 0 || number.BitLen() > 256 {
		return "", &sdk.Error{Reason: sdk.InvalidArguments, Message: fmt.Sprintf(
			"the seed %q is not a number of up to 256 bits: give one such as 7 or 0x1c", asked)}
	}
	return fmt.Sprintf("%#x", number), nil
}

func sameNumber(a, b string) bool {
	x, isNumber := new(big.Int).SetString(a, 0)
	y, both := new(big.Int).SetString(b, 0)
	return isNumber && both && x.Cmp(y) == 0
}

// configuredFilters returns the configured filters that a command leaves in force.
func configuredFilters(s settings.Settings, argv []string) []string {
	list, _ := arguments.Parse(argv[2:])
	var narrowed []string
	for _, filter := range s.Filters {
		_, replaced := list.Get(filter.Option())
		switch filter.Name {
		case "match_path":
			replaced = replaced || list.Count("") > 0
		case "skip":
			replaced = false // an option --skip adds to it
		}
		if !replaced {
			narrowed = append(narrowed, fmt.Sprintf("%s = %q", filter.Name, filter.Value))
		}
	}
	return narrowed
}

// warnOfFailFast warns about an option that leaves out tests after a failure.
func warnOfFailFast(list arguments.List) []string {
	if list.Count("fail-fast") == 0 {
		return nil
	}
	return []string{"with --fail-fast forge does not say which tests it left out after the first failure"}
}
