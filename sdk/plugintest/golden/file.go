package golden

import (
	"reflect"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// exitFile is exit.json: how a command ended.
type exitFile struct {
	Code      int    `json:"code"`
	Signal    string `json:"signal"`
	TimedOut  bool   `json:"timed_out"`
	Cancelled bool   `json:"cancelled"`
}

// runFile is run.json: what the parser receives about the command.
type runFile struct {
	Root    string            `json:"root"`
	Argv    []string          `json:"argv"`
	Dir     string            `json:"dir"`
	Env     map[string]string `json:"env"`
	Targets []WantID          `json:"targets"`
	// Prepares reports whether the command prepared something and ran no test.
	Prepares bool `json:"prepares"`
	// Probes are the outputs of the plugin's probes at that time, by name.
	Probes  map[string]probeFile `json:"probes"`
	Listing bool                 `json:"listing"`
	// Dependencies reports whether the listing includes what suites are built from.
	Dependencies bool `json:"dependencies"`
}

type probeFile struct {
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
	ExitCode int    `json:"exit_code"`
}

// In returns the case as if printed by a command in ws, unless run.json says where it
// was recorded.
func (c Case) In(ws sdk.Workspace) Case {
	if c.Run.Workspace.Root == "" {
		if c.Run.Workspace.Probes != nil {
			ws.Probes = c.Run.Workspace.Probes
		}
		c.Run.Workspace = ws
	}
	return c
}

func (f runFile) info() sdk.RunInfo {
	run := sdk.RunInfo{Workspace: sdk.Workspace{Root: f.Root}, Command: sdk.Command{Argv: f.Argv, Dir: f.Dir, Env: f.Env, Prepares: f.Prepares}}
	for _, id := range f.Targets {
		run.Command.Targets = append(run.Command.Targets, sdk.TestID{Suite: id.Suite, Test: id.Name})
	}
	for name, probe := range f.Probes {
		if run.Workspace.Probes == nil {
			run.Workspace.Probes = map[string]sdk.ProbeOutput{}
		}
		run.Workspace.Probes[name] = sdk.ProbeOutput{Stdout: []byte(probe.Stdout), Stderr: probe.Stderr, ExitCode: probe.ExitCode}
	}
	return run
}

// fieldsOf names the fields of a file, to help after a misspelling.
func fieldsOf(file any) []string {
	var names []string
	kind := reflect.TypeOf(file).Elem()
	for i := range kind.NumField() {
		name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}
