package forge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

// Scaffold implements [sdk.Scaffolder]. Sources may only be Solidity files: all other
// files of a project decide what forge does on the machine, so the whole foundry.toml
// is written here, and configuration in the sources' comments is checked against a
// short list. The libraries and the compiler are those of the workspace's project.
func (d *Detector) Scaffold(ctx context.Context, req sdk.ScaffoldRequest) (sdk.Scaffold, error) {
	if err := checkSources(req.Sources); err != nil {
		return sdk.Scaffold{}, err
	}
	if err := ctx.Err(); err != nil {
		return sdk.Scaffold{}, err
	}
	s := settings.Read(req.Workspace)
	solc, warnings := findCompiler(req.Workspace, s, req.Sources)
	deps := newDependencies(req.Workspace, s, req.Sources)
	scaffold := sdk.Scaffold{
		Files:    []sdk.SourceFile{{Path: marker, Content: []byte(formatConfig(solc, deps.remappings))}},
		Links:    deps.links,
		Env:      settings.ForcedEnv(),
		Warnings: slices.Concat(warnings, deps.warnings),
	}
	if solc != "" {
		scaffold.Readable = pathsToRead(solc, installedCompilers(req.Workspace.Env))
	}
	return scaffold, nil
}

// formatConfig returns the foundry.toml of a source set.
func formatConfig(solc string, remappings []string) string {
	var b strings.Builder
	b.WriteString(`[profile.default]
src = 'src'
test = 'test'
script = 'script'
out = 'out'
cache_path = 'cache'
libs = ['lib']
offline = true
ffi = false
fs_permissions = []
live_logs = false
auto_detect_remappings = false
`)
	if solc != "" {
		fmt.Fprintf(&b, "solc = %s\n", quoteLiteral(solc))
	}
	b.WriteString("remappings = [\n")
	for _, line := range remappings {
		fmt.Fprintf(&b, "    %s,\n", quoteLiteral(line))
	}
	b.WriteString("]\n")
	return b.String()
}

// quoteLiteral formats a TOML literal string, in which nothing is escaped; see [isLiteral].
func quoteLiteral(text string) string { return "'" + text + "'" }

// isLiteral reports whether a text can be a TOML literal string.
func isLiteral(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '\'' || r == 0x7f || r == '\uFFFD' })
}
