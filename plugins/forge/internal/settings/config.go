package settings

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// config has the relevant fields of `forge config --json`.
type config struct {
	Src             string   `json:"src"`
	Test            string   `json:"test"`
	Script          string   `json:"script"`
	Out             string   `json:"out"`
	CachePath       string   `json:"cache_path"`
	Libs            []string `json:"libs"`
	Remappings      []string `json:"remappings"`
	Solc            string   `json:"solc"`
	EVMVersion      string   `json:"evm_version"`
	Optimizer       *bool    `json:"optimizer"`
	OptimizerRuns   *int64   `json:"optimizer_runs"`
	ViaIR           bool     `json:"via_ir"`
	Isolate         bool     `json:"isolate"`
	IncludePaths    []string `json:"include_paths"`
	RPCURL          string   `json:"eth_rpc_url"`
	BytecodeHash    string   `json:"bytecode_hash"`
	CBORMetadata    *bool    `json:"cbor_metadata"`
	DynamicLinking  bool     `json:"dynamic_test_linking"`
	Threads         int      `json:"threads"`
	Cache           *bool    `json:"cache"`
	Force           bool     `json:"force"`
	FFI             bool     `json:"ffi"`
	Skip            []string `json:"skip"`
	MatchTest       string   `json:"match_test"`
	NoMatchTest     string   `json:"no_match_test"`
	MatchContract   string   `json:"match_contract"`
	NoMatchContract string   `json:"no_match_contract"`
	MatchPath       string   `json:"match_path"`
	NoMatchPath     string   `json:"no_match_path"`
	Fuzz            struct {
		Seed string `json:"seed"`
	} `json:"fuzz"`
	Permissions []permission `json:"fs_permissions"`
}

type permission struct {
	Access string `json:"access"`
	Path   string `json:"path"`
}

// readConfig parses the probe's output. A field of an unexpected type is skipped; the
// others count.
func readConfig(probe sdk.ProbeOutput) (c config, known bool) {
	if probe.ExitCode != 0 || len(probe.Stdout) == 0 {
		return config{}, false
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(probe.Stdout, &fields) != nil || fields == nil {
		return config{}, false
	}
	for name, value := range fields {
		one, err := json.Marshal(map[string]json.RawMessage{name: value})
		if err != nil {
			continue
		}
		before := c
		if json.Unmarshal(one, &c) != nil {
			c = before
		}
	}
	return c, true
}

// filters returns the filters that are set.
func (c config) filters() []Filter {
	return slices.DeleteFunc([]Filter{
		{"match_path", c.MatchPath},
		{"no_match_path", c.NoMatchPath},
		{"match_contract", c.MatchContract},
		{"no_match_contract", c.NoMatchContract},
		{"match_test", c.MatchTest},
		{"no_match_test", c.NoMatchTest},
		{"skip", strings.Join(c.Skip, ", ")},
	}, func(f Filter) bool { return f.Value == "" })
}

// conditions fills in what gas usage depends on.
func (c config) conditions(conditions map[string]string) {
	set := func(name, value string) {
		if value != "" {
			conditions[name] = value
		}
	}
	set("solc", compilerVersion(c.Solc))
	set("evm_version", c.EVMVersion)
	conditions["via_ir"] = strconv.FormatBool(c.ViaIR)
	conditions["isolate"] = strconv.FormatBool(c.Isolate)
	if c.Optimizer != nil {
		conditions["optimizer"] = strconv.FormatBool(*c.Optimizer)
	}
	if c.OptimizerRuns != nil && c.Optimizer != nil && *c.Optimizer {
		conditions["optimizer"] += " " + strconv.FormatInt(*c.OptimizerRuns, 10)
	}
	if c.DynamicLinking {
		conditions["dynamic_test_linking"] = "true"
	}
}

// compilerVersion returns the version if forge manages the compiler, or else what is
// configured: a version or a path.
func compilerVersion(solc string) string {
	if version, ok := strings.CutPrefix(filepath.Base(solc), "solc-"); ok && filepath.IsAbs(solc) {
		return version
	}
	return solc
}

// warnings lists what tests may do beyond testing.
func (c config) warnings() []string {
	var warnings []string
	if c.FFI {
		warnings = append(warnings, "ffi is enabled in the configuration of forge: the tests can start any program; set ffi = false in foundry.toml unless they need it")
	}
	for _, p := range c.Permissions {
		if p.Access == "write" || p.Access == "read-write" {
			warnings = append(warnings, fmt.Sprintf("fs_permissions in the configuration of forge let the tests write to %q", p.Path))
		}
	}
	return warnings
}

// warnOfUnreadable returns a warning if forge printed a configuration that cannot be parsed.
// If forge rejected its configuration, the run reports that in forge's own words.
func warnOfUnreadable(probe sdk.ProbeOutput, known bool) []string {
	if known || probe.ExitCode != 0 || len(probe.Stdout) == 0 {
		return nil
	}
	return []string{"cannot read the output of forge config --json: assuming forge's default settings, without reporting configured filters, ffi and permissions"}
}

// forgeVersion returns the version in "forge Version: 1.7.1" or "forge 0.2.0 (...)".
// For a nightly build it includes the commit from the line "Commit SHA: ".
func forgeVersion(probe sdk.ProbeOutput) string {
	if probe.ExitCode != 0 {
		return ""
	}
	version, commit := "", ""
	for line := range strings.Lines(string(probe.Stdout)) {
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(line, "forge Version: "); ok {
			version = text
		} else if text, ok := strings.CutPrefix(line, "Commit SHA: "); ok {
			commit = text
		} else if text, ok := strings.CutPrefix(line, "forge "); ok && version == "" {
			version = text
		}
	}
	if strings.Contains(version, "nightly") && len(commit) >= shortCommit && !strings.Contains(version, commit[:shortCommit]) {
		version += " " + commit[:shortCommit]
	}
	return version
}

// shortCommit is the length at which forge itself shows a commit.
const shortCommit = 10
