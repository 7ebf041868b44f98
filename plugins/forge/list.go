package forge

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"

	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
	"github.com/proctorhq/proctor/plugins/forge/internal/selection"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

// ListCmd implements [sdk.Lister]. Forge compiles the project and runs nothing. Filters
// in the runner arguments and the configuration restrict only a listing of what a run
// would run.
func (d *Detector) ListCmd(_ context.Context, req sdk.ListRequest) (sdk.Plan, error) {
	list, err := readArguments(req.RunnerArgs)
	if err != nil {
		return sdk.Plan{}, err
	}
	if !req.Selected {
		list = slices.DeleteFunc(list, narrowsRun)
	}
	patterns := selectNamed(req.Workspace.Root, req.Selection)
	patterns.Suites = nil // they are names: ParseList selects them
	filters, _, err := composeFilters(patterns, list)
	if err != nil {
		return sdk.Plan{}, err
	}
	s := settings.Read(req.Workspace)
	if err := checkMatched(req.Workspace.Root, s.Libs, patterns, list); err != nil {
		return sdk.Plan{}, err
	}
	if own := s.OwnCompiler(req.Workspace); own != "" {
		return sdk.Plan{}, &sdk.Error{Reason: sdk.WorkspaceNotSupported, Message: fmt.Sprintf(
			"%s, and listing the tests would execute it: name a version or a compiler outside of the workspace, or run the tests, which executes it", own)}
	}
	if !req.Selected {
		filters = append(filters, overrideFilters(s, patterns)...)
	} else if _, given := list.Get("match-path"); !given && patterns.PathPattern == "" && list.Count("") == 0 {
		filters = append(filters, filesOf(req.Selection.Suites)...)
	}
	return sdk.Plan{Commands: []sdk.Command{withoutExecuting(s, listCommand(s, list, filters))}}, nil
}

// maxListedFiles bounds the files of a pattern; with more of them, most of a project is compiled
// anyway.
const maxListedFiles = 100

// filesOf returns the option that restricts a listing to the files of suites, so that forge
// compiles no others; nothing if some have none.
func filesOf(suites []string) []string {
	var files []string
	for _, suite := range suites {
		file, _, ok := selection.Split(suite)
		if !ok {
			return nil
		}
		files = append(files, file)
	}
	slices.Sort(files)
	if files = slices.Compact(files); len(files) == 0 || len(files) > maxListedFiles {
		return nil
	}
	return []string{"--match-path=" + selection.Glob(files)}
}

// withoutExecuting keeps a command that only queries from executing what the workspace names.
// Forge starts the compilers that libraries name, to learn their versions, unless a
// variable names one; and git, with the workspace's configuration, for the state of
// submodules, which it fetches if missing.
func withoutExecuting(s settings.Settings, c sdk.Command) sdk.Command {
	if solc := s.Under(c.Argv).Solc; solc != "" {
		c.Env["FOUNDRY_SOLC"] = solc
	}
	c.Env["GIT_DIR"] = os.DevNull
	return c
}

// listCommand compiles what a run would compile, and lists its tests.
func listCommand(s settings.Settings, list arguments.List, filters []string) sdk.Command {
	return newCommand(s, slices.Concat([]string{tool, "test", "--list", "--json"}, filters, list.Words(func(option arguments.Option) bool {
		return userOption(option) && option.Name != "fail-fast"
	})))
}

// overrideFilters returns options that let everything through, replacing configured filters.
// Nothing overrules skip.
func overrideFilters(s settings.Settings, patterns sdk.Selection) []string {
	var options []string
	for _, filter := range s.Filters {
		everything := ""
		switch filter.Name {
		case "match_path":
			if patterns.PathPattern != "" {
				continue
			}
			everything = "*"
		case "match_contract":
			if patterns.SuitePattern != "" {
				continue
			}
		case "match_test":
			if patterns.TestPattern != "" {
				continue
			}
		case "no_match_path":
			everything = ":" // no source has that path
		case "no_match_contract", "no_match_test":
			everything = "^$" // no name is empty
		default:
			continue
		}
		options = append(options, "--"+filter.Option()+"="+everything)
	}
	return options
}

// ParseList implements [sdk.Lister].
func (d *Detector) ParseList(ctx context.Context, req sdk.ListRequest, cmd sdk.Command, sink sdk.ListSink) sdk.Parser {
	s := settings.Read(req.Workspace).Under(cmd.Argv)
	l := &listing{ctx: ctx, root: req.Workspace.Root, suites: req.Selection.Suites, sink: sink}
	if req.Workspace.Root != "" {
		l.finder = s.Finder(req.Workspace.Root)
		if req.Dependencies {
			l.dependencies = &dependencyReport{ws: req.Workspace, settings: s}
		}
	}
	l.pattern, l.without = signaturePattern(s, cmd, "match_test"), signaturePattern(s, cmd, "no_match_test")
	return l
}

// signaturePattern returns the signature filter of a command, which may be configured, as an
// expression. An expression that Go rejects may be valid for forge: then there is none
// here, and the names that forge lists decide.
func signaturePattern(s settings.Settings, cmd sdk.Command, name string) *regexp.Regexp {
	text := ""
	for _, filter := range s.Filters {
		if filter.Name == name {
			text = filter.Value
		}
	}
	if len(cmd.Argv) > 2 {
		list, _ := arguments.Parse(cmd.Argv[2:]) // proctor composed it
		if given, set := list.Get(settings.Filter{Name: name}.Option()); set {
			text = given
		}
	}
	if text == "" {
		return nil
	}
	expression, err := regexp.Compile(text)
	if err != nil {
		return nil
	}
	return expression
}
