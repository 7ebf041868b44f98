package api

import "errors"

// Advice is what a reader can do next. Each front puts it in its own words, so that no
// other package names a command, a flag or a tool.
type Advice struct {
	Operation Operation `json:"operation"`
	// Of is what the operation is applied to, such as the id of a run.
	Of string `json:"of,omitempty"`
}

// Operation is something that a front can do.
type Operation string

// The operations, as docs/run-object.md lists them.
const (
	AdviseRun              Operation = "run"
	AdviseRunAll           Operation = "run_all"
	AdviseRunAtOnce        Operation = "run_at_once"
	AdviseRunGone          Operation = "run_gone"
	AdviseRunThere         Operation = "run_there"
	AdviseRunAffected      Operation = "run_affected"
	AdviseRerun            Operation = "rerun"
	AdviseIndex            Operation = "index"
	AdviseIndexAgain       Operation = "index_again"
	AdviseRuns             Operation = "runs"
	AdviseTests            Operation = "tests"
	AdviseLastRun          Operation = "last_run"
	AdviseHistory          Operation = "history"
	AdviseFailures         Operation = "failures"
	AdviseOutstanding      Operation = "outstanding"
	AdviseDrop             Operation = "drop"
	AdviseDropSlip         Operation = "drop_slip"
	AdviseDeferred         Operation = "deferred"
	AdviseBase             Operation = "base"
	AdviseNoCache          Operation = "no_cache"
	AdviseReplace          Operation = "replace"
	AdviseAgain            Operation = "again"
	AdviseIngest           Operation = "ingest"
	AdviseMerge            Operation = "merge"
	AdviseArguments        Operation = "arguments"
	AdviseLanguage         Operation = "language"
	AdviseName             Operation = "name"
	AdviseDirectory        Operation = "directory"
	AdviseProject          Operation = "project"
	AdviseDoctor           Operation = "doctor"
	AdviseInstall          Operation = "install"
	AdvisePlugins          Operation = "plugins"
	AdviseAllowUnsandboxed Operation = "allow_unsandboxed"
)

// AdviceOf returns the advice of an error; empty if it has none.
func AdviceOf(err error) Advice {
	var advising interface{ Advise() Advice }
	if !errors.As(err, &advising) {
		return Advice{}
	}
	return advising.Advise()
}

// AppendAdvice appends advice, in the words of a front, to a text. Either may be empty.
func AppendAdvice(text string, a Advice, words func(Advice) string) string {
	advice := words(a)
	if text == "" || advice == "" {
		return text + advice
	}
	return text + "; " + advice
}
