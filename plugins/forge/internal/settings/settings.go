package settings

import (
	"cmp"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
	"github.com/proctorhq/proctor/plugins/forge/internal/declaration"
	"github.com/proctorhq/proctor/sdk"
)

// The names of the probes.
const (
	ConfigProbe  = "config"
	VersionProbe = "version"
)

// Settings are the effective settings of forge in a workspace.
type Settings struct {
	// Known reports whether forge printed its configuration; otherwise the paths are
	// forge's defaults.
	Known bool
	// Src, Test, Script, Out and CachePath are directories, relative to the root
	// or absolute.
	Src, Test, Script, Out, CachePath string
	// Libs are the library directories, relative to the root or absolute.
	Libs []string
	// Remappings have the form PREFIX=PATH.
	Remappings []string
	// IncludePaths are further directories to search for imports.
	IncludePaths []string
	// Forks reports whether all tests run on a forked chain.
	Forks bool
	// HashesText reports whether the code of a contract ends in a hash of the text of
	// its sources, comments included.
	HashesText bool
	// OtherRoot reports whether the configuration names a root, which forge would use
	// instead of the workspace.
	OtherRoot bool
	// Skip are patterns of files that are not compiled.
	Skip []string
	// Solc is a version or a path, or empty if forge chooses.
	Solc string
	// FuzzSeed is the configured seed as written, or empty.
	FuzzSeed string
	// Threads is the configured number; 0 means one for each processor.
	Threads int
	// Recompiles reports whether every run compiles everything.
	Recompiles bool
	// FFI reports whether tests may start programs.
	FFI bool
	// Filters are the configured filters, in the order of their names in foundry.toml.
	Filters []Filter
	// Warnings are what a user should know about the settings. They leave out Filters,
	// which the arguments of a run may replace.
	Warnings []string
	// Conditions are what measurements depend on.
	Conditions map[string]string
}

// Filter is a filter of foundry.toml that leaves tests out of every run.
type Filter struct {
	// Name is "match_test", "skip" and so on.
	Name string
	// Value as configured.
	Value string
}

// Option returns the name of the "forge test" option that replaces the filter, without
// dashes.
func (f Filter) Option() string { return strings.ReplaceAll(f.Name, "_", "-") }

// Read reads the probes and the .env file of a workspace.
func Read(ws sdk.Workspace) Settings {
	config, known := readConfig(ws.Probes[ConfigProbe])
	config = config.withCompiler(readWritten(ws))
	s := Settings{
		Known:        known,
		Src:          cmp.Or(config.Src, "src"),
		Test:         cmp.Or(config.Test, "test"),
		Script:       cmp.Or(config.Script, "script"),
		Out:          cmp.Or(config.Out, "out"),
		CachePath:    cmp.Or(config.CachePath, "cache"),
		Libs:         config.Libs,
		Remappings:   config.Remappings,
		Skip:         config.Skip,
		IncludePaths: config.IncludePaths,
		Forks:        config.RPCURL != "",
		HashesText:   config.BytecodeHash != "none" && (config.CBORMetadata == nil || *config.CBORMetadata),
		OtherRoot:    namesRoot(ws),
		Solc:         config.Solc,
		FuzzSeed:     config.Fuzz.Seed,
		Threads:      config.Threads,
		Recompiles:   config.Force || config.Cache != nil && !*config.Cache,
		FFI:          config.FFI,
		Filters:      config.filters(),
		Conditions:   map[string]string{},
	}
	if !known {
		s.Libs = []string{"lib"}
	} else {
		config.conditions(s.Conditions)
	}
	if version := forgeVersion(ws.Probes[VersionProbe]); version != "" {
		s.Conditions["forge"] = version
	}
	s.Warnings = slices.Concat(warnOfUnreadable(ws.Probes[ConfigProbe], known), config.warnings(), fileWarnings(ws.Root))
	return s
}

// OneDocument reports whether this forge is known to print its results as one document,
// as releases up to 1.7.1 do. Later ones may print one for each network that tests use.
func (s Settings) OneDocument() bool {
	version, ok := releaseOf(s.Conditions["forge"])
	return ok && slices.Compare(version[:], []int{1, 7, 1}) <= 0
}

// release matches the version of a release, not of a nightly build or a candidate.
var release = lazyregexp.New(`^([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})(?:-stable)?$`)

// Artifacts returns where the compiler's output is.
func (s Settings) Artifacts(root string) artifact.Config {
	return artifact.Config{Root: root, Out: s.Out, CachePath: s.CachePath, Libs: s.Libs}
}

// Finder returns a finder for the declarations in a project.
func (s Settings) Finder(root string) *declaration.Finder {
	return declaration.NewFinder(declaration.Config{
		Artifacts: s.Artifacts(root), Src: s.Src, Test: s.Test, Skip: s.Skip, Remappings: s.Remappings,
	})
}

// rootKey matches a line of foundry.toml that names a root.
var rootKey = lazyregexp.New(`(?m)^\s*["']?root["']?\s*=|[{,]\s*["']?root["']?\s*=`)

// namesRoot reports whether the configuration names a root. Forge 1.7.1 accepts the
// key, although it warns that it is unknown. A false positive does little harm.
func namesRoot(ws sdk.Workspace) bool {
	if strings.Contains(ws.Probes[ConfigProbe].Stderr, "`root`") {
		return true
	}
	if slices.ContainsFunc(fileNames(ws.Root), func(name string) bool {
		return isSetting(name) && strings.HasSuffix(strings.ToUpper(name), "_ROOT")
	}) {
		return true
	}
	return rootKey.Match(readFile(ws.Root, "foundry.toml"))
}
