package cargotest

import "github.com/proctorhq/proctor/sdk"

// Version of the plugin.
const Version = "0.1.0"

// probeMetadata is the name of the probe that lists packages and targets. Without
// dependencies cargo resolves nothing, needs no network and executes no code of the
// project.
const probeMetadata = "metadata"

// Description is the plugin's identity.
func Description() sdk.Description {
	return sdk.Description{
		Name: "cargo", Version: Version, Language: "rust", Aliases: []string{"cargo"},
		Markers: []string{"Cargo.toml"}, FailedExits: []int{101}, Tools: []string{"cargo"}, ToolDirs: []string{"~/.cargo/bin"},
		Selectors: []sdk.Selector{sdk.SelectSuites, sdk.SelectSuitePattern},
		RunnerFlags: []sdk.RunnerFlag{
			{Name: "--features", Value: "FEATURES", Effect: sdk.FlagTests}, {Name: "--profile", Value: "NAME"},
		},
		Probes: []sdk.Probe{{
			Name: probeMetadata,
			Argv: []string{"cargo", "metadata", "--no-deps", "--format-version=1"},
			Env:  map[string]string{"CARGO_TERM_COLOR": "never"},
		}},
	}
}
