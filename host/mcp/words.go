package mcp

import (
	"regexp"
	"strings"
)

// toolWords turns what the host advises into the words of the tools. What no tool
// does stays as it is: an agent may have a shell.
func toolWords(text string) string {
	text = dropWords.ReplaceAllString(text, "proctor outstanding --drop $1 (in a shell)")
	text = elsewhereWords.ReplaceAllString(text, "another workspace ($1 from this one)")
	text = commandWords.Replace(showWords.ReplaceAllString(text, "list_tests lists the tests, last_test_failures those that failed"))
	return flagWords.ReplaceAllStringFunc(text, func(flag string) string {
		at := strings.Index(flag, "--")
		return flag[:at] + flagTools[flag[at:]]
	})
}

// flagWords are flags of ours that stand for themselves: one within a name is part of
// the name.
var flagWords = regexp.MustCompile(`(^|[\s("])--(package|match-path|match-contract|filter|evm-version|lang|affected)\b`)

// flagTools are the parameters that do what a flag does.
var flagTools = map[string]string{
	"--package": "packages", "--match-path": "match_path", "--match-contract": "match_contract", "--filter": "filter",
	"--evm-version": "evm_version", "--lang": "language", "--affected": "affected",
}

// showWords name a run, and so are no fixed text.
var showWords = regexp.MustCompile("`proctor show [0-9A-Za-z]+` lists its tests")

// dropWords name a test; no tool takes one off the list.
var dropWords = regexp.MustCompile("`proctor outstanding --drop ([^`\\n]+)`")

// elsewhereWords name a directory, and so are no fixed text.
var elsewhereWords = regexp.MustCompile("`proctor -C ([^`\\n]+)`")

// commandWords are what commands are advised for, and what tools do it.
var commandWords = strings.NewReplacer(
	"`proctor run` begins its history", "run_tests begins its history",
	", and `proctor outstanding` says which these are", "",
	"finish with `proctor run`", "finish with run_tests",
	"`proctor history` names tests worth knowing of, `proctor show` all of the last run", "test_history names tests worth knowing of, list_tests all there are",
	"`proctor failures` lists those that did", "last_test_failures lists those that did",
	"`proctor show` shows the last one", "get_run shows the last one",
	"`proctor runs --lang LANG` lists them", "test_history names the runs of a test",
	"`proctor runs` lists those that are", "test_history names the runs of a test",
	"`proctor runs` lists the ones before it", "test_history names the ones before it",
	"`proctor runs` lists those of others too", "test_history names those of others too",
	"name two runs that `proctor runs` lists", "name two runs that test_history names",
	"`--base HEAD~1` or `--base merge-base:BRANCH` asks", "base HEAD~1 or merge-base:BRANCH asks",
	"; --no-cache runs everything", "",
	"; give more of the name, or --lang", "; give more of the name",
	"name one with -C DIR", "name one with the argument workspace",
	"`proctor index`", "proctor index (in a shell)",
	"`proctor run --cover`", "proctor run --cover (in a shell)",
	"`proctor run --affected`", "run_tests with affected",
	"`proctor covering --diff`", "tests_covering without file",
	"`proctor covering`", "tests_covering",
	"`proctor run`", "run_tests",
	"`proctor rerun` asks again as before", "run_failing_tests asks again as before",
	"test it with: proctor run -C ", "test it with run_tests and the workspace ",
)
