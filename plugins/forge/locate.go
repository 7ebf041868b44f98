package forge

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// verbositySteps is the verbosity at which forge prints every step.
	verbositySteps = 5
	// maxLocated bounds the tests that are located: each prints megabytes.
	maxLocated = 50
)

// planLocating composes commands that rerun failed tests step by step, with contracts whose
// steps have lines, unlike those of optimized code. It omits fixtures, which print no
// steps.
func planLocating(ctx context.Context, req sdk.RerunRequest, list arguments.List, s settings.Settings) (sdk.Plan, error) {
	req.Targets = slices.DeleteFunc(slices.Clone(req.Targets), func(id sdk.TestID) bool {
		return id.Test == "" || isFixture(id.Test)
	})
	if req.Workspace.Cache == "" {
		return sdk.Plan{}, &sdk.Error{Reason: sdk.WorkspaceNotSupported, Message: "the workspace has no cache for contracts compiled without the optimizer"}
	}
	var warnings []string
	if more := len(req.Targets) - maxLocated; more > 0 {
		req.Targets = req.Targets[:maxLocated]
		warnings = append(warnings, fmt.Sprintf("the failing lines of only %d tests are located; %d more failed, and are shown at their declarations", maxLocated, more))
	}
	seed, err := fuzzSeed(list, s, req.Seed)
	if err != nil {
		return sdk.Plan{}, err
	}
	argv := testArgv(list, seed, verbositySteps)
	// The project's own build output stays unchanged.
	argv = append(argv, "--out", filepath.Join(req.Workspace.Cache, "out"), "--cache-path", filepath.Join(req.Workspace.Cache, "index"))
	filters, asked := planFilters(ctx, req, list, s)
	var commands []sdk.Command
	for _, f := range filters {
		c := newCommand(s, slices.Concat(argv, filterOptions(f), list.Words(keptWhenLocating)))
		c.Env["FOUNDRY_OPTIMIZER"] = "false"
		c.Env["FOUNDRY_VIA_IR"] = "false"
		c.Env["FOUNDRY_DYNAMIC_TEST_LINKING"] = "false"
		// Otherwise a test continues after a failed assertion, which no step shows.
		c.Env["FOUNDRY_ASSERTIONS_REVERT"] = "true"
		c.Targets = filterTargets(f, asked)
		commands = append(commands, c)
	}
	return sdk.Plan{Commands: commands, Warnings: warnings}, nil
}

// keptWhenLocating rejects options that decide how contracts are compiled and where
// they are written.
func keptWhenLocating(option arguments.Option) bool {
	switch option.Name {
	case "optimize", "optimizer-runs", "via-ir", "dynamic-test-linking", "out", "cache-path", "no-cache", "force",
		"build-info", "build-info-path", "extra-output", "extra-output-files", "decode-internal", "suppress-successful-traces":
		return false
	}
	return keptWithTests(option)
}
