package forge

import (
	"context"

	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

// tool is the program that runs everything.
const tool = "forge"

// marker is the file that makes a directory a project.
const marker = "foundry.toml"

// Config is what a detector needs to know about its plugin.
type Config struct {
	// Version is the version of the plugin.
	Version string
	// Threads is how many threads forge uses unless it is told; 0 means unknown.
	Threads int
}

// Detector is the detector for Foundry.
type Detector struct {
	cfg Config
}

var (
	_ sdk.Detector        = (*Detector)(nil)
	_ sdk.ProjectDetector = (*Detector)(nil)
	_ sdk.Lister          = (*Detector)(nil)
	_ sdk.Scaffolder      = (*Detector)(nil)
	_ sdk.Outliner        = (*Detector)(nil)
	_ sdk.Indexer         = (*Detector)(nil)
)

// New returns the detector.
func New(cfg Config) *Detector { return &Detector{cfg: cfg} }

// Description returns the plugin's identity.
func (d *Detector) Description() sdk.Description {
	return sdk.Description{
		Name:        "forge",
		Version:     d.cfg.Version,
		Language:    "solidity",
		SuiteNoun:   "contract",
		Aliases:     []string{"foundry"},
		Markers:     []string{marker},
		Tools:       []string{tool},
		ToolDirs:    []string{"~/.foundry/bin"},
		Env:         inheritedVariables(),
		Deciding:    []string{profileVariable},
		Selectors:   []sdk.Selector{sdk.SelectPathPattern, sdk.SelectSuitePattern, sdk.SelectTestPattern},
		RunnerFlags: runnerFlags(),
		Probes: []sdk.Probe{
			{Name: settings.ConfigProbe, Argv: []string{tool, "config", "--json"}, Env: settings.ProbeEnv(), UnsetEnv: unsetPatterns()},
			{Name: settings.VersionProbe, Argv: []string{tool, "--version"}, Env: settings.ForcedEnv(), UnsetEnv: unsetPatterns()},
		},
		OutputOf:     true,
		Seed:         true,
		Locate:       true,
		Dependencies: true,
	}
}

// runnerFlags returns the common flags of "forge test". With --ffi tests execute any
// program.
func runnerFlags() []sdk.RunnerFlag {
	flags := []sdk.RunnerFlag{{Name: "--ffi"}}
	for _, f := range []sdk.RunnerFlag{
		{Name: "--match-test", Value: "REGEX", Effect: sdk.FlagNarrows, Selector: sdk.SelectTestPattern},
		{Name: "--mt", Value: "REGEX", Effect: sdk.FlagNarrows, Selector: sdk.SelectTestPattern},
		{Name: "--mc", Value: "REGEX", Effect: sdk.FlagNarrows, Selector: sdk.SelectSuitePattern},
		{Name: "--mp", Value: "GLOB", Effect: sdk.FlagNarrows, Selector: sdk.SelectPathPattern},
		{Name: "--evm-version", Value: "VERSION"},
		{Name: "--fuzz-runs", Value: "N"},
		{Name: "--fork-url", Value: "URL"},
		{Name: "--fork-block-number", Value: "N"},
		{Name: "--via-ir"},
		{Name: "--isolate"},
		{Name: "--offline", Effect: sdk.FlagNeutral},
		{Name: "--threads", Value: "N", Effect: sdk.FlagNeutral},
	} {
		f.Harmless = true
		flags = append(flags, f)
	}
	return flags
}

// ParseTestFailures implements [sdk.Detector].
func (d *Detector) ParseTestFailures(ctx context.Context, run sdk.RunInfo, sink sdk.Sink) sdk.Parser {
	if run.Locate {
		return newLocating(ctx, run, sink)
	}
	if run.Command.Covers {
		sink = measurement{sink}
	}
	return newParser(ctx, run, sink, d.cfg.Threads)
}
