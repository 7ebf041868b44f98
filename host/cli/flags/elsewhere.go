package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Instead says what to use in place of a flag that other programs have, so that their users
// need not look for it: those of gotestsum 1.13 that proctor has not, and of `go test`; and that
// `proctor run` has a flag that the command has not. It is empty for any other flag.
func Instead(cmd *cobra.Command, word string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	if cmd.Flag(name) != nil {
		if !strings.HasPrefix(word, "--") && len(name) > 1 {
			return fmt.Sprintf("`--%s`", name) // as in -json
		}
		return ""
	}
	switch name {
	case "args":
		return fmt.Sprintf("`%s -- -args ARGS`", cmd.CommandPath())
	case "debug":
		return "PROCTOR_LOG=debug in the environment"
	case "format-hide-empty-pkg", "hide-summary":
		return "`--quiet`"
	case "format-icons":
		return "a locale without UTF-8, for plain letters"
	case "jsonfile", "jsonfile-timing-events":
		return "`--raw` for the events, or `--report json=FILE`"
	case "junitfile-hide-empty-pkg", "junitfile-hide-skipped-tests", "junitfile-project-name", "junitfile-testcase-classname", "junitfile-testsuite-name":
		return "`--junit FILE`, whose names cannot be chosen"
	case "max-fails":
		return "the runner's own flag, such as `-failfast` of go"
	case "no-color":
		return "`--color never`"
	case "packages":
		return "the packages themselves, as in `proctor run ./parser/...`"
	case "raw-command":
		return "`COMMAND | proctor ingest`"
	case "rerun-fails":
		return "`--retries N`"
	case "rerun-fails-max-failures":
		return "`--retry-limit N`"
	case "rerun-fails-abort-on-data-race", "rerun-fails-run-root-test":
		return "`proctor rerun`, which decides that by itself"
	case "rerun-fails-report":
		return "`proctor history --flaky`, or `--report json=FILE`"
	case "watch", "watch-chdir", "watch-clear":
		return "`proctor watch`"
	}
	if cmd.Name() == "watch" && slices.Contains(notWatched, name) {
		return "`proctor run`, which has it"
	}
	return ""
}

// notWatched are flags of run that a watch has not.
var notWatched = []string{"affected", "cached", "cover", "format", "json", "junit", "list", "raw", "report", "shard", "skips"}
