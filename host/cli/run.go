package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/upload"
	"github.com/proctorhq/proctor/host/workspace"
)

// runOptions are what proctor run was asked for.
type runOptions struct {
	req  api.UploadRequest
	out  *output
	then after
	list bool
}

func newRunCommand(a *app) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [flags] [PACKAGE]... [-- RUNNER ARGS]",
		Short: "Run the tests of the workspace",
		Long: `Run the tests of the workspace. Each detected language is a run of its own. Results go to
standard output, progress to standard error.

` + affectedHelp + `

With --list, list the tests that would run, and where they are declared. What only comes
into being while a test runs, such as a subtest, is not listed. Exit codes then: 0 listed
· 4 there are none · 6 not every test could be listed`,
		Example: `  proctor run
  proctor run ./parser/... -f 'TestParse'
  proctor run --affected
  proctor run --affected=main --json | jq .affected
  proctor run --cover
  proctor run -race -tags integration ./...
  proctor run --match-path 'test/Token*.sol' --match-contract Token
  proctor run --junit report.xml
  proctor run --json | jq .verdict
  proctor run --list ./parser/...`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.takeArgs(cmd, a, args); err != nil {
				return err
			}
			if o.list {
				if err := checkListed(cmd, "package", "match-path", "match-contract", "filter", "lang"); err != nil {
					return err
				}
				return listTests(cmd.Context(), a, o.out, o.req.RunRequest)
			}
			if err := checkSources(cmd, o.req, a.env.IsFleet()); err != nil {
				return err
			}
			return runTests(cmd.Context(), a, &o)
		},
	}
	flags.Bind(cmd, o.req.Params())
	o.out = newOutput(cmd, runObject, runForms()...)
	o.out.reports.Bind(cmd)
	o.then.bind(cmd)
	bindList(cmd, &o.list, "list the tests that would run, and run nothing")
	a.env.Bind(cmd.Flags())
	return cmd
}

// takeArgs completes the request by what no flag takes.
func (o *runOptions) takeArgs(cmd *cobra.Command, a *app, args []string) error {
	o.req.Where, o.req.DefaultTimeout = a.where(), !cmd.Flags().Changed("timeout")
	before, behind := splitAtDash(cmd, args)
	before, err := takeAffected(cmd, before, &o.req.RunRequest)
	if err != nil {
		return err
	}
	packages, err := packagesNamed(cmd, a.where().Dir, before)
	if err != nil {
		return err
	}
	o.req.Packages, o.req.RunnerArgs = append(o.req.Packages, packages...), behind
	return nil
}

// runTests runs tests, of the workspace or of an upload, and prints the result.
func runTests(ctx context.Context, a *app, o *runOptions) error {
	if index, of, err := api.ParseShard(o.req.Shard); err == nil {
		o.out.reports.Shard = &api.Shard{Index: index, Of: of, Attempt: cmp.Or(o.req.Attempt, project.AttemptIn(a.env.Environ)), Planned: []api.PlannedSuite{}, Elsewhere: []api.ShardPart{}}
	}
	k, done, err := a.keeper(ctx)
	if err != nil {
		return err
	}
	defer done()
	var root string
	if o.req.Sources != "" { // an upload chooses its plugins itself
		root, _ = k.LikelyRoot(ctx, a.where())
	} else {
		root, _ = project.StartPluginsAhead(ctx, k.Host, a.where(), o.req.Languages)
	}
	if err := o.then.takeDefaults(ctx, a, k, o.out, root); err != nil {
		return err
	}
	if o.req.Sources != "" {
		return runSources(ctx, a, k, o.out, &o.then, o.req)
	}
	k.Cfg.OneRequest = true
	plugin.PutOffCollection()
	view := newView(a, o.out)
	runs, err := a.env.Executor()(ctx, k, o.req.RunRequest, view, &o.out.reports.Collector)
	view.Close()
	if a.code = runsExit(runs); a.env.IsFleet() && ctx.Err() != nil {
		a.code = exitInterrupted
	}
	return o.out.finish(ctx, a, k, &o.then, runs, err)
}

// runObject is what --json prints of runs.
const runObject = "the Run object, one line per language"

// packagesNamed returns the packages that positional arguments name.
func packagesNamed(cmd *cobra.Command, dir string, words []string) (packages []string, err error) {
	for _, word := range words {
		name, err := packageNamed(dir, word)
		if err != nil {
			return nil, usageErrorf(cmd, "%w", err)
		}
		packages = append(packages, name)
	}
	return packages, nil
}

// packageNamed returns the package that a word names. A directory may be named without
// "./". A word that cannot be a path was probably meant as the name of a test.
func packageNamed(dir, word string) (string, error) {
	if strings.HasPrefix(word, ".") || strings.HasPrefix(word, "/") {
		return word, nil
	}
	if path, found := workspace.FindDirectory(dir, word); found {
		return path, nil
	}
	if !strings.ContainsAny(word, "./*") {
		others := "name packages as in ./parser/..., and"
		if _, err := os.Stat(filepath.Join(dir, api.FoundryMarker)); err == nil {
			others = "name files as in test/Vault.t.sol, contracts with --match-contract " + word + ", and"
		}
		return "", fmt.Errorf("%q is not a directory here: %s tests with -f %s", word, others, word)
	}
	return word, nil
}

// splitAtDash splits the arguments at "--".
func splitAtDash(cmd *cobra.Command, args []string) (before, behind []string) {
	if n := cmd.ArgsLenAtDash(); n >= 0 {
		return args[:n], args[n:]
	}
	return args, nil
}

// selecting are the flags that select tests in another way than by changes.
var selecting = []string{"package", "filter", "match-path", "match-contract", "sources"}

// takeAffected takes the revision of --affected, which may follow its flag, and returns
// the other arguments.
func takeAffected(cmd *cobra.Command, before []string, req *api.RunRequest) (rest []string, err error) {
	affected := flags.RevisionOf(cmd, "affected")
	if req.Affected, before, err = affected.Take(before); err != nil {
		return nil, err
	}
	if affected.Given {
		if i := slices.IndexFunc(selecting, cmd.Flags().Changed); i >= 0 {
			return nil, &flags.Error{Err: fmt.Errorf("--affected and --%s exclude each other: one selects tests by changes, the other by name", selecting[i])}
		}
	}
	if len(before) > 0 && affected.Given {
		return nil, &flags.Error{Err: fmt.Errorf("unexpected argument %q: --affected selects the tests; see %s --help", before[0], cmd.CommandPath())}
	}
	return before, nil
}

// affectedHelp is what the help of proctor run says of --affected.
const affectedHelp = `With --affected, run only the tests that can notice the changes since REV (default HEAD:
only uncommitted changes). The selection uses what proctor covering index has measured,
what suites are built from, and what tests read. When in doubt, a test runs. The output
names the selected tests, the reasons, and what was left out; their pass is not a pass of
everything. If nothing is selected, nothing runs: exit code 4.`

// checkSources refuses flags that mean nothing without the sources.
func checkSources(cmd *cobra.Command, req api.UploadRequest, isFleet bool) error {
	switch {
	case cmd.Flags().Changed("sources") && req.Sources == "":
		return &flags.Error{Err: errors.New("--sources is empty: name a directory or a .json file")}
	case req.Sources != "" && isFleet:
		return &flags.Error{Err: errors.New("--sources cannot run on a fleet: leave out one of the two")}
	case req.Sources != "" && req.Shard != "":
		return &flags.Error{Err: errors.New("--sources and --shard exclude each other: an upload is not recorded, so its report could not be merged")}
	case req.Sources == "" && req.AllowUnsandboxed:
		return &flags.Error{Err: errors.New("--allow-unsandboxed needs --sources: everything else runs without a sandbox anyway")}
	}
	return nil
}

// runSources runs an upload and prints the result. It leaves nothing of the upload behind.
func runSources(ctx context.Context, a *app, k *ledger.Keeper, out *output, then *after, req api.UploadRequest) (err error) {
	view := newView(a, out)
	up, err := upload.RunUpload(ctx, k, req, view, &out.reports.Collector)
	view.Close()
	defer func() { err = errors.Join(err, up.Close(context.WithoutCancel(ctx))) }()
	a.code = runsExit(up.Runs)
	out.writeReports(ctx, a, k, err)
	defer then.follow(ctx, a, up.Runs)
	defer out.endReports(ctx, a)
	if out.format != rawForm {
		return printRuns(ctx, a, k, out, up.Runs, err)
	}
	for _, run := range up.Runs {
		if rerr := printUploadRaw(ctx, a, up, run); rerr != nil {
			return errors.Join(err, rerr)
		}
	}
	return err
}

// printUploadRaw prints the runner's own output, preceded by what the reader must not
// miss.
func printUploadRaw(ctx context.Context, a *app, up *upload.Upload, run api.Run) error {
	raw, err := up.Raw(context.WithoutCancel(ctx), run)
	if err != nil {
		return err
	}
	for _, w := range run.Warnings {
		a.tell(api.AppendAdvice(w.Text, w.Advice, render.Advice))
	}
	a.printText(render.Raw(raw))
	return nil
}
