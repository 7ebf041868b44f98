package render

import (
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// commands says how to perform an operation on the command line. OF stands for its
// object.
var commands = map[api.Operation]string{
	api.AdviseRun:              "finish with `proctor run`",
	api.AdviseRunAll:           "`proctor run` runs all tests",
	api.AdviseRunAtOnce:        "`proctor run` runs all at once",
	api.AdviseRunGone:          "a green run of everything, without arguments, removes what is gone from the list: finish with `proctor run`",
	api.AdviseRunThere:         "test it with `proctor run -C OF`",
	api.AdviseRunAffected:      "`proctor run --affected` looks at all",
	api.AdviseRerun:            "`proctor rerun` asks again as before",
	api.AdviseIndex:            "`proctor covering index` finds out which lines each test executes",
	api.AdviseIndexAgain:       "`proctor covering index` measures again what changed",
	api.AdviseRuns:             "`proctor runs` lists those on record",
	api.AdviseTests:            "`proctor runs show OF` lists its tests",
	api.AdviseLastRun:          "`proctor runs show` shows the last one",
	api.AdviseHistory:          "`proctor history` names tests worth knowing of, `proctor runs show` all of the last run",
	api.AdviseFailures:         "`proctor failures` lists those that did",
	api.AdviseOutstanding:      "`proctor rerun --list` names what is outstanding",
	api.AdviseDrop:             "`proctor rerun --drop TEST` removes what can no longer pass",
	api.AdviseArguments:        "give those that you mean after --, or -- alone for none: `proctor rerun --from FILE -- ARGS`",
	api.AdviseDropSlip:         "`proctor rerun --drop OF` removes this suite if it was a typo",
	api.AdviseDeferred:         "`proctor history defer --list` lists those that are",
	api.AdviseBase:             "`--base HEAD~1` or `--base merge-base:BRANCH` shows what a commit introduced",
	api.AdviseNoCache:          "--no-cache runs everything",
	api.AdviseReplace:          "give another name, or --force to replace it",
	api.AdviseAgain:            "--again replaces that run",
	api.AdviseIngest:           "`proctor ingest` records all of it",
	api.AdviseMerge:            "`proctor merge` merges what each shard writes with --report json=FILE",
	api.AdviseLanguage:         "name the language that is meant with --lang",
	api.AdviseName:             "give more of the name, or --lang",
	api.AdviseDirectory:        "name one with -C DIR, or install a plugin for its language (see `proctor plugin install --help`)",
	api.AdviseProject:          "name the directory of a project, or install a plugin for its language (see `proctor plugin install --help`)",
	api.AdviseDoctor:           "`proctor doctor` shows where they are looked for",
	api.AdvisePlugins:          "`proctor doctor` shows the plugins, and -C DIR names another directory",
	api.AdviseInstall:          "install one (`proctor plugin install`), or name it with --plugin NAME=PATH",
	api.AdviseAllowUnsandboxed: "or, if you trust the sources with everything that your account can do, give --allow-unsandboxed",
}

// Advice says what to do in the words of the command line.
func Advice(a api.Advice) string {
	return strings.Replace(commands[a.Operation], "OF", prose.ShellLine([]string{prose.Line(a.Of)}), 1)
}

// advice says what to do in the words of the reader's front.
func (s Style) advice(a api.Advice) string {
	if s.Advice != nil {
		return s.Advice(a)
	}
	return Advice(a)
}

// note formats a note in the words of the reader's front.
func (s Style) note(n api.Note) string { return api.AppendAdvice(n.Text, n.Advice, s.advice) }
