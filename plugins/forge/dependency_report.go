package forge

import (
	"context"

	"github.com/proctorhq/proctor/plugins/forge/internal/composition"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

// dependencyReport reports what the suites of a listing are built from. The listing has
// compiled the project, so the compiler's index is current. A nil dependencyReport
// reports nothing.
type dependencyReport struct {
	ws       sdk.Workspace
	settings settings.Settings

	composition *composition.Composition
	failed      string
}

// readIndex reads the compiler's index, and reports the parts.
func (d *dependencyReport) readIndex(ctx context.Context, sink sdk.ListSink) {
	if d == nil {
		return
	}
	c, err := composition.Read(ctx, compositionConfig(d.ws, d.settings))
	if err != nil {
		d.failed = "cannot read the compiler's index: " + err.Error()
		return
	}
	d.composition = c
	for _, part := range c.Parts(ctx) {
		sink.Part(part)
	}
}

// compositionConfig says where a project is and how it is compiled.
func compositionConfig(ws sdk.Workspace, s settings.Settings) composition.Config {
	return composition.Config{
		Artifacts:    s.Artifacts(ws.Root),
		Folders:      []string{s.Src, s.Test, s.Script},
		Remappings:   s.Remappings,
		IncludePaths: s.IncludePaths,
		Compiler:     s.Solc,
		Opaque:       explainOpaque(s),
		Home:         ws.Env["HOME"],
	}
}

// explainOpaque says which settings make every suite opaque.
func explainOpaque(s settings.Settings) string {
	switch {
	case !s.Known:
		return "the configuration of forge is unknown"
	case s.Forks:
		return "it runs on the state of a chain"
	}
	return ""
}

// suiteNeeds returns what one suite is built from, and why it may depend on more.
func (d *dependencyReport) suiteNeeds(ctx context.Context, suite string) (needs []string, opaque string) {
	switch {
	case d == nil:
		return nil, ""
	case d.failed != "":
		return nil, d.failed
	}
	return d.composition.Suite(ctx, suite)
}
