package limits

import (
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// toolAdvice says how an agent performs an operation, or that its user can if no tool does.
// OF stands for its object. It names no commands: an agent may have no shell.
var toolAdvice = map[api.Operation]string{
	api.AdviseRun:              "finish with run_tests",
	api.AdviseRunAll:           "run_tests runs all tests, whatever they depend on",
	api.AdviseRunAtOnce:        "run_tests runs all at once",
	api.AdviseRunGone:          "a green run_tests without arguments removes from the list what no longer exists: finish with that",
	api.AdviseRunThere:         "test it with run_tests and the workspace OF",
	api.AdviseRunAffected:      "run_tests with affected looks at all",
	api.AdviseRerun:            "run_failing_tests asks again as before",
	api.AdviseIndex:            "tests_covering{\"measure\":120} finds out which lines each test executes",
	api.AdviseIndexAgain:       "tests_covering{\"measure\":120} measures again what changed",
	api.AdviseRuns:             "test_history names the runs of a test",
	api.AdviseTests:            "list_tests lists the tests, last_test_failures those that failed",
	api.AdviseLastRun:          "get_run shows the last one",
	api.AdviseHistory:          "test_history names tests worth knowing about, list_tests all there are",
	api.AdviseFailures:         "last_test_failures lists those that did",
	api.AdviseOutstanding:      "run_failing_tests runs what is outstanding, and says what did not run",
	api.AdviseDrop:             "your user can drop what can no longer pass",
	api.AdviseArguments:        "your user can run them with arguments",
	api.AdviseDropSlip:         "if OF was a mistake, your user can drop it",
	api.AdviseDeferred:         "your user has set them aside",
	api.AdviseBase:             "base HEAD~1 or merge-base:BRANCH shows what a commit introduced",
	api.AdviseNoCache:          "", // triage_failures always asks what it can answer
	api.AdviseReplace:          "give another name",
	api.AdviseAgain:            "your user can replace that run",
	api.AdviseIngest:           "your user can ingest all of it",
	api.AdviseMerge:            "your user can merge the reports of all shards",
	api.AdviseLanguage:         "name the language with the argument language",
	api.AdviseName:             "give more of the name",
	api.AdviseDirectory:        "name one with the argument workspace; for another language, your user can install a plugin",
	api.AdviseProject:          "name the directory of a project; for another language, your user can install a plugin",
	api.AdviseDoctor:           "workspace_info shows where they are looked for",
	api.AdvisePlugins:          "workspace_info shows the plugins, and the argument workspace names another directory",
	api.AdviseInstall:          "your user can install one",
	api.AdviseAllowUnsandboxed: "only a user at the command line can run sources without a sandbox",
}

// Advice says what to do in the words of the tools.
func Advice(a api.Advice) string {
	return strings.Replace(toolAdvice[a.Operation], "OF", prose.ShellLine([]string{Cut(a.Of, listedBytes, prose.Line)}), 1)
}
