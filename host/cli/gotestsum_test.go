package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/cli/flags"
)

// gotestsumFlags are those that gotestsum 1.13 prints with --help.
var gotestsumFlags = []string{
	"debug", "format", "format-hide-empty-pkg", "format-icons", "hide-summary", "jsonfile", "jsonfile-timing-events", "junitfile",
	"junitfile-hide-empty-pkg", "junitfile-hide-skipped-tests", "junitfile-project-name", "junitfile-testcase-classname", "junitfile-testsuite-name",
	"max-fails", "no-color", "packages", "post-run-command", "raw-command", "rerun-fails", "rerun-fails-abort-on-data-race",
	"rerun-fails-max-failures", "rerun-fails-report", "rerun-fails-run-root-test", "version", "watch", "watch-chdir", "watch-clear",
}

func TestThePageForUsersOfGotestsumNamesOnlyWhatExists(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/coming-from-gotestsum.md")
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, row := range regexp.MustCompile("(?m)^\\| `--([a-z-]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		told = append(told, row[1])
	}
	slices.Sort(told)
	if !slices.Equal(told, gotestsumFlags) {
		t.Errorf("the page has %q\ngotestsum has %q", told, gotestsumFlags)
	}
	root, checked := (&app{}).command(), 0
	for _, span := range regexp.MustCompile("`[^`\n]+`").FindAllString(string(page), -1) {
		_, call, ok := strings.Cut(strings.Trim(span, "`"), "proctor ")
		if !ok {
			continue
		}
		cmd, rest, err := root.Find(strings.Fields(call))
		if err != nil || cmd == root && call != "--version" {
			t.Errorf("%s: there is no such command: %v", span, err)
			continue
		}
		cmd.InitDefaultVersionFlag()
		for _, word := range rest {
			if name, ok := strings.CutPrefix(word, "--"); ok && cmd.Flag(name) == nil {
				t.Errorf("%s: %s has no flag --%s", span, cmd.CommandPath(), name)
			}
		}
		checked++
	}
	run, _, err := root.Find([]string{"run"})
	if err != nil {
		t.Fatal(err)
	}
	run.InitDefaultVersionFlag()
	for _, name := range gotestsumFlags {
		instead := flags.Instead(run, "--"+name)
		if ours := run.Flag(name) != nil || root.Flag(name) != nil || name == "version"; ours == (instead != "") {
			t.Errorf("--%s: proctor has it: %t; in place of it: %q", name, ours, instead)
		}
		for _, word := range strings.FieldsFunc(instead, func(r rune) bool { return r == ' ' || r == '`' || r == ',' }) {
			if other, ok := strings.CutPrefix(word, "--"); ok && run.Flag(other) == nil && root.Flag(other) == nil && !strings.Contains(instead, "history") {
				t.Errorf("--%s: in place of it %s, which does not exist", name, word)
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d commands were looked at", checked)
	}
}
