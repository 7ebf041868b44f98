package forge

import (
	"context"
	"regexp"
	"slices"

	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

// ListCmd implements [sdk.Lister]. Forge compiles the project and runs nothing.
// A filter among the runner arguments does not narrow the listing: it does not
// change which tests exist.
func (d *Detector) ListCmd(_ context.Context, req sdk.ListRequest) (sdk.Plan, error) {
	list, err := readArguments(req.RunnerArgs)
	if err != nil {
		return sdk.Plan{}, err
	}
	patterns := req.Selection
	patterns.Suites = nil // they are names: ParseList chooses them
	filters, _, err := selected(patterns, arguments.List{})
	if err != nil {
		return sdk.Plan{}, err
	}
	argv := slices.Concat([]string{tool, "test", "--list", "--json"}, filters, list.Words(keptWithTests))
	return sdk.Plan{Commands: []sdk.Command{command(argv)}}, nil
}

// ParseList implements [sdk.Lister].
func (d *Detector) ParseList(ctx context.Context, req sdk.ListRequest, cmd sdk.Command, sink sdk.ListSink) sdk.Parser {
	s := settings.Read(req.Workspace).Under(cmd.Argv)
	l := &listing{ctx: ctx, suites: req.Selection.Suites, sink: sink}
	if req.Workspace.Root != "" {
		l.finder = s.Finder(req.Workspace.Root)
	}
	// What is no expression of Go's may be one of forge's: then names decide.
	if pattern, err := regexp.Compile(req.Selection.TestPattern); err == nil {
		l.pattern = pattern
	}
	return l
}
