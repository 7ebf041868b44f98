package gotest

import (
	"slices"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/plugins/go/internal/toolchain"
	"github.com/proctorhq/proctor/sdk"
)

// tool is the program that runs everything.
const tool = "go"

// Config is what a detector needs to know about the plugin it is part of.
type Config struct {
	// Version of the plugin.
	Version string
	// Executable is the absolute path of a program that runs [Exec] when its
	// first argument is [ExecCommand]. Without one, reruns need more commands.
	Executable string
}

// Detector is the detector for Go.
type Detector struct {
	cfg Config
}

var (
	_ sdk.Detector        = (*Detector)(nil)
	_ sdk.ProjectDetector = (*Detector)(nil)
	_ sdk.Lister          = (*Detector)(nil)
)

// New returns the detector.
func New(cfg Config) *Detector { return &Detector{cfg: cfg} }

// Description is the plugin's identity.
func (d *Detector) Description() sdk.Description {
	return sdk.Description{
		Name:      "go",
		Version:   d.cfg.Version,
		Language:  "go",
		Markers:   []string{"go.mod", "go.work"},
		Tools:     []string{tool},
		Env:       slices.Concat(effective, locating, caches),
		Selectors: []sdk.Selector{sdk.SelectSuites, sdk.SelectTestPattern},
		OutputOf:  true,
	}
}

// project is what the files of a workspace say.
type project struct {
	workspace sdk.Workspace
	layout    *source.Layout
	version   toolchain.Version
}

// open reads the workspace's files. A workspace that cannot be read is treated
// as a single module: the go command says what is wrong with it.
func open(workspace sdk.Workspace) project {
	layout, err := source.ReadLayout(workspace.Root, workspace.Env)
	if err != nil {
		layout = &source.Layout{Root: workspace.Root}
	}
	return project{workspace: workspace, layout: layout, version: toolchain.Find(toolchain.Settings{
		Program:   workspace.Tools[tool],
		Toolchain: workspace.Env["GOTOOLCHAIN"],
		Requires:  layout.Requires,
	})}
}
