package translate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/quarantine"
	"github.com/proctorhq/proctor/sdk"
)

// takeDefaults adds the arguments that a configuration file has for every run, except
// those that the request replaces. It comes after the user's own arguments are taken.
func (a *Request) takeDefaults(p project.Project, args *config.Args, req api.RunRequest) error {
	if args == nil {
		return nil
	}
	given, _ := project.SplitArgs(p.ID.RunnerFlags, req.RunnerArgs)
	isGiven := func(f project.GivenFlag) bool {
		pattern, _ := a.pattern(f.Selector)
		return pattern != nil && (*pattern != "" || req.IsByChange()) ||
			slices.ContainsFunc(given, func(g project.GivenFlag) bool { return g.Name == f.Name }) ||
			slices.ContainsFunc(req.RunnerFlags(), func(g api.RunnerFlag) bool { return g.Name == f.Name })
	}
	var words, narrowing []string
	for left := args.Words; len(left) > 0; {
		f, missing, ok := project.TakeFlag(p.ID.RunnerFlags, left)
		if err := checkDefault(p.ID.Name, args, left[0], f, missing, ok); err != nil {
			return err
		}
		left = left[len(f.Words):]
		if isGiven(f) {
			continue
		}
		words = append(words, f.Words...)
		if f.Effect == sdk.FlagNarrows {
			narrowing = append(narrowing, f.Words...)
		}
	}
	own := a.RunnerArgs
	a.RunnerArgs = nil
	if err := a.takeArgs(p.ID.RunnerFlags, words); err != nil {
		return &api.UsageError{Reason: fmt.Sprintf("%s:%d: run.args: %s", args.File, args.Line, err)}
	}
	a.Defaults = len(a.RunnerArgs)
	a.RunnerArgs = append(a.RunnerArgs, own...)
	if len(narrowing) > 0 {
		a.NarrowedBy = []string{prose.ShellLine(narrowing) + " in " + nameFile(args)}
	}
	return nil
}

// checkDefault refuses an argument that must not stand in a file. Only the user's own file
// is trusted with flags that may execute something.
func checkDefault(plugin string, args *config.Args, word string, f project.GivenFlag, missing, ok bool) error {
	refuse := func(reason, fix string) error {
		return &api.UsageError{Reason: fmt.Sprintf("%s:%d: run.args: %s", args.File, args.Line, reason), Fix: fix}
	}
	switch {
	case !ok:
		return refuse(fmt.Sprintf("%s is not a flag that plugin %s declares", prose.ShellLine([]string{word}), plugin), "give it after -- each time or, if another language has it, put it into [run.LANGUAGE]")
	case missing:
		return refuse(f.Name+" needs a value: "+f.Value, "give it as the next argument, or after =")
	case len(f.Words) > 1 && strings.HasPrefix(f.Argument, "-"):
		// A runner may take it for a flag.
		return refuse(f.Name+" is followed by "+prose.ShellLine([]string{f.Argument}), "if that is its value, write it as "+f.Name+"="+f.Argument)
	case f.Effect == sdk.FlagUpdates:
		return refuse("with "+f.Name+" tests write what they expect, so a pass would prove nothing", "give it on the command line when you mean it")
	case !f.Harmless && !args.Personal:
		return refuse(f.Name+" can execute a program, or read or write a file, which a project's file may not", "give it on the command line, or put it into your own configuration")
	}
	return nil
}

// maxUnknown is how many quarantined tests of an unknown language are named.
const maxUnknown = 3

// NameUnknownLanguages names the tables of the project's file, and the tests in quarantine,
// for languages that the workspace does not have: each may be a typo. It does so only for a
// run of all languages.
func NameUnknownLanguages(k *ledger.Keeper, projects []project.Project, req api.RunRequest) (notes []string, err error) {
	settings, err := k.Settings(projects[0].Root.Path)
	if err != nil || len(req.Languages) > 0 {
		return nil, err
	}
	isUnknown := func(name string) bool {
		return !slices.ContainsFunc(projects, func(p project.Project) bool { return p.IsCalled(name) })
	}
	const unknown = "no language of this workspace"
	for _, name := range settings.Run.Languages() {
		if isUnknown(name) {
			notes = append(notes, fmt.Sprintf("[run.%s] in the project's settings names "+unknown, name))
		}
	}
	f, err := quarantine.Load(projects[0].Root.Path)
	if err != nil || k.Box != nil {
		return notes, nil // the run says what is wrong with it
	}
	var entries []string
	for _, e := range f.Entries {
		if isUnknown(e.Language) {
			entries = append(entries, fmt.Sprintf("%s of %q in line %d", e.Test, e.Language, e.Line))
		}
	}
	if len(entries) > 0 {
		notes = append(notes, quarantine.FileName+" has tests of "+unknown+", which are not in quarantine: "+prose.Listed(entries, len(entries), maxUnknown, ledger.Excerpt))
	}
	return notes, nil
}

// nameFile names the file of arguments in a verdict.
func nameFile(args *config.Args) string {
	if args.Personal {
		return "your own configuration"
	}
	return filepath.Base(args.File)
}
