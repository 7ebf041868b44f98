package gotest

import (
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/plugins/go/internal/dependencies"
	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/sdk"
)

// listDependencies returns the beginning of the command that lists packages with
// everything their test binaries are compiled from. Unlike the plain list it includes
// packages of other modules. One missing from the module cache is an error of its
// importers and is not downloaded: listing changes nothing.
func listDependencies() sdk.Command {
	return sdk.Command{
		// For a main package, go list calls git status, which executes what the
		// repository's own configuration names, unless -buildvcs forbids it.
		Argv: []string{tool, "list", "-e", "-buildvcs=false", "-deps", "-test", "-json=" + dependencies.Fields},
		// GONOPROXY would still allow fetching the modules it names.
		Env: map[string]string{"GOPROXY": "off", "GONOPROXY": "none", "GOVCS": "*:off"},
	}
}

// dependencies returns the graph of a listing, still empty.
func (p project) dependencies(runnerArgs []string) *dependencies.Graph {
	cfg := dependencies.Config{Layout: p.layout}
	args, _ := goflags.Parse(runnerArgs) // ListCmd has rejected what cannot be parsed
	args.Flags = slices.Concat(variableFlags(p.workspace.Env["GOFLAGS"]), args.Flags)
	if overlay, set := args.Get("overlay"); set && overlay != "" {
		cfg.Opaque = "-overlay replaces its files"
	}
	cfg.Early = p.earlyLogRoot(args) != ""
	if file, set := args.Get("modfile"); set && file != "" {
		if !filepath.IsAbs(file) {
			file = filepath.Join(p.layout.Root, file)
		}
		cfg.ModFile = file
	}
	return dependencies.New(cfg)
}

// reportDependencies reports the suites, and the parts that they need.
func (l *listing) reportDependencies() {
	for _, suite := range l.suites {
		suite.Needs = l.dependencies.Needs(suite.Suite)
		suite.Opaque = l.dependencies.Opaque(suite.Suite)
		l.sink.Suite(suite)
	}
	l.dependencies.Parts(l.sink.Part)
}
