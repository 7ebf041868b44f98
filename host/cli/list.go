package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/testlist"
)

// bindList declares --list, with which a command that runs only lists.
func bindList(cmd *cobra.Command, list *bool, help string) {
	cmd.Flags().BoolVar(list, "list", false, help)
}

// checkListed refuses flags that mean nothing if nothing is run; with are those that do.
func checkListed(cmd *cobra.Command, with ...string) (err error) {
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Name != "list" && f.Name != "json" && !slices.Contains(with, f.Name) {
			err = &flags.Error{Err: fmt.Errorf("--%s cannot be combined with a list: nothing is run", f.Name)}
		}
	})
	return err
}

// oneLanguage returns the language that a list is asked for.
func oneLanguage(languages []string) (string, error) {
	switch len(languages) {
	case 0:
		return "", nil
	case 1:
		return languages[0], nil
	}
	return "", &flags.Error{Err: errors.New("--list lists one language at a time: give --lang once")}
}

// listTests lists the tests that a run would run.
func listTests(ctx context.Context, a *app, out *output, run api.RunRequest) error {
	language, err := oneLanguage(run.Languages)
	if err != nil {
		return err
	}
	req := api.TestsRequest{
		Where: run.Where, Language: language, Packages: run.Packages, MatchPath: run.MatchPath, MatchContract: run.MatchContract,
		Filter: run.Filter, RunnerArgs: run.RunnerArgs, All: true,
	}
	return askUnrecorded(ctx, a, out, exiting(a, testlist.Tests, listExit), req, render.Tests)
}

// listExit is the exit code for a list.
func listExit(l api.TestList) int {
	switch {
	case !l.Complete:
		return exitIncomplete
	case l.Total == 0:
		return exitNothingRan
	}
	return exitPassed
}
