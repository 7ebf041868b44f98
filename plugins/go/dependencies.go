package gotest

import (
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/plugins/go/internal/dependencies"
	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/sdk"
)

// listDependencies begins the command that lists packages with all that their test
// binaries are compiled of. Unlike the plain list it looks into packages of other
// modules. One that the module cache does not have is an error of the packages that
// import it, and is not downloaded: listing changes nothing.
func listDependencies() sdk.Command {
	return sdk.Command{
		// Asked about a main package, go list calls git status, which executes what the
		// repository's own configuration names, unless -buildvcs forbids it.
		Argv: []string{tool, "list", "-e", "-buildvcs=false", "-deps", "-test", "-json=" + dependencies.Fields},
		// GONOPROXY would let the modules that it names be fetched all the same.
		Env: map[string]string{"GOPROXY": "off", "GONOPROXY": "none", "GOVCS": "*:off"},
	}
}

// dependencies returns the graph of a listing, empty yet.
func (p project) dependencies(runnerArgs []string) *dependencies.Graph {
	cfg := dependencies.Config{Layout: p.layout}
	args, _ := goflags.Parse(runnerArgs) // ListCmd has refused what cannot be read.
	args.Flags = slices.Concat(variableFlags(p.workspace.Env["GOFLAGS"]), args.Flags)
	if overlay, set := args.Get("overlay"); set && overlay != "" {
		cfg.Opaque = "its files are replaced by those of -overlay"
	}
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
