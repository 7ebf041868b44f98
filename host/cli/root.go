package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/cli/fleetcall"
	"github.com/proctorhq/proctor/host/cli/help"
	"github.com/proctorhq/proctor/host/cli/pluginlog"
	"github.com/proctorhq/proctor/host/ctxio"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// Main runs the command of the process and exits with its exit code.
func Main() { MainOf(fleetcall.Extension{}) }

// MainOf is Main for a program with an extension.
func MainOf(x fleetcall.Extension) {
	swallow(syscall.SIGPIPE) // a reader that closes the pipe must not end a run
	code := run(interruptible(), environment{
		Args: os.Args[1:], Environ: os.Environ(),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Exits: true, Extension: x,
	})
	os.Exit(code)
}

// environment is what a command uses of the outside world.
type environment struct {
	Args, Environ  []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Exits means that the process exits with the command.
	Exits bool
	// written are the files that the output is redirected to.
	written []fs.FileInfo
	fleetcall.Extension
}

// get looks up an environment variable.
func (e environment) get(key string) string { return workspace.Getenv(e.Environ, key) }

// app is one invocation.
type app struct {
	env environment
	// The flags of every command.
	dir     string
	plugins []string
	color   string
	quiet   bool
	verbose bool
	// session is that of --session, which some commands have.
	session string
	// begun is a Keeper that was needed before the command, and closeBegun closes it.
	begun      *ledger.Keeper
	closeBegun func()
	// loginShell means that the environment may be that of a desktop, without the user's
	// PATH.
	loginShell bool
	// flush waits for what is still to be printed on standard error; nil if nothing is.
	flush func()

	code int
}

// parameterFlags are the flags for the parameters of a request.
var parameterFlags = map[string]string{
	api.ParamPackages: "--package", api.ParamMatchPath: "--match-path", api.ParamMatchContract: "--match-contract",
	api.ParamFilter: "--filter", api.ParamSeed: "--seed",
}

// errorText returns an error with its advice, in the words of the command line.
func errorText(err error) string {
	text := err.Error()
	if refused, ok := errors.AsType[*api.NotTakenError](err); ok {
		text = refused.Text(func(name string) string { return cmp.Or(parameterFlags[name], name) })
	}
	return api.AppendAdvice(text, api.AdviceOf(err), render.Advice)
}

// run executes one invocation and returns its exit code.
func run(ctx context.Context, env environment) int {
	for _, w := range []io.Writer{env.Stdout, env.Stderr} {
		if f, ok := w.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
				env.written = append(env.written, info)
			}
		}
	}
	out := &ctxio.CheckedWriter{W: env.Stdout}
	env.Stdout = out
	code := execute(ctx, env)
	if out.Err != nil && code != exitInterrupted {
		fmt.Fprintf(env.Stderr, "proctor: the answer could not be written: %v\n", out.Err)
		return exitTool
	}
	return code
}

// execute executes the command. It recovers from a panic, whose exit code would be that
// of misuse.
func execute(ctx context.Context, env environment) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(env.Stderr, "proctor: this is a bug in proctor; please report it with the following: %s\n%s", prose.Plain(fmt.Sprint(p)), debug.Stack())
			code = exitTool
		}
	}()
	a := &app{env: env}
	root := a.command()
	defer func() {
		if a.begun != nil {
			a.closeBegun()
		}
		if a.flush != nil {
			a.flush()
		}
	}()
	args, err := env.Args, env.Replace(env.Args, env.Environ)
	if err == nil {
		args, err = flags.MoveRunnerFlags(root, env.Args, func() ([]sdk.RunnerFlag, error) { return declaredFlags(ctx, a) })
	}
	root.SetArgs(args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err != nil {
		code := errorExit(err)
		if isInterrupt(ctx, err) {
			a.tell("interrupted") // whatever it interrupted
			return code
		}
		a.tell(errorText(err))
		var detailed interface{ Detail() string }
		if errors.As(err, &detailed) && detailed.Detail() != "" {
			fmt.Fprintln(a.env.Stderr, prose.Plain(detailed.Detail()))
		}
		return code
	}
	return a.code
}

// isInterrupt reports whether an error is that of the interrupted context, and not one that
// says what becomes of the work.
func isInterrupt(ctx context.Context, err error) bool {
	for ; err != nil && ctx.Err() != nil; err = errors.Unwrap(err) {
		if err == ctx.Err() || err == context.Cause(ctx) {
			return true
		}
	}
	return false
}

// Command returns the tree of proctor's commands for what describes it, as man pages and
// completions do.
func Command() *cobra.Command { return (&app{}).command() }

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "proctor",
		Short: "Run tests, record results, and rerun what is outstanding",
		Long:  `proctor runs a project's tests, remembers every result, and answers questions about them.`,
		Example: `  proctor run                     every test of the project
  proctor run ./parser/... -race  packages and the runner's own flags, as you type them
  proctor rerun                   exactly what failed and has not passed since
  proctor watch                   again whenever a file is saved`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          takes(0, 0),
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			for _, note := range flags.DescribeClamped(cmd) {
				a.hint("%s", note)
			}
			return errors.Join(a.checkColor(), takeFormat(cmd, a.env))
		},
	}
	own := root.PersistentFlags()
	a.bindWorkspace(own)
	own.StringVar(&a.color, "color", "auto", "use colors `WHEN`: auto, always or never")
	own.BoolVarP(&a.quiet, "quiet", "q", false, "print only failures and the verdict")
	own.BoolVarP(&a.verbose, "verbose", "v", false, "print every test as it ends, and shorten nothing")
	root.SetFlagErrorFunc(wrongFlag)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		help.Help{Cmd: cmd, Projects: projectsHere(cmd.Context(), a), Columns: a.style().Columns}.Write()
	})
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		help.Help{Cmd: cmd, Columns: a.style().Columns}.WriteUsage()
		return nil
	})
	root.SetHelpCommand(helpCommand())
	wanted := a.constructors()
	for _, c := range wanted {
		root.AddCommand(c.build(a))
	}
	a.env.AddTo(root, a.keeper)
	if len(wanted) > 1 {
		suggest(root)
		a.complete(root)
	}
	return root
}

// constructor builds the command of a name.
type constructor struct {
	name  string
	build func(a *app) *cobra.Command
}

// constructors returns that of the command which the first argument names, or else all of
// them, for help, completion and suggestions: building all takes a millisecond.
func (a *app) constructors() []constructor {
	all := []constructor{
		{"run", newRunCommand}, {"rerun", newRerunCommand}, {"watch", newWatchCommand}, {"failures", newFailuresCommand}, {"output", newOutputCommand},
		{"why", newWhyCommand}, {"triage", newTriageCommand}, {"diff", newDiffCommand}, {"history", newHistoryCommand}, {"runs", newRunsCommand},
		{"covering", newCoveringCommand}, {"quarantine", newQuarantineCommand}, {"ingest", newIngestCommand}, {"merge", newMergeCommand}, {"timings", newTimingsCommand},
		{"report", newReportCommand}, {"gas", newGasCommand}, {"doctor", newDoctorCommand}, {"version", newVersionCommand}, {"plugin", newPluginCommand},
		{"mcp", newMCPCommand},
	}
	named := func(c constructor) bool { return len(a.env.Args) > 0 && c.name == a.env.Args[0] }
	if i := slices.IndexFunc(all, named); i >= 0 {
		return all[i : i+1]
	}
	return all
}

// bindWorkspace declares the flags that decide which workspace is meant, and which
// plugins.
func (a *app) bindWorkspace(set *pflag.FlagSet) {
	set.StringVarP(&a.dir, "workspace", "C", "", "the workspace `DIR` (default: the nearest project from here upwards)")
	set.StringArrayVar(&a.plugins, "plugin", nil, "use this plugin (`NAME=PATH`, repeatable; or PROCTOR_PLUGIN_NAME)")
}

// bindSession declares --session.
func bindSession(a *app, cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.session, "session", "", "the last run of session `ID`; \""+api.ThisSession+"\" is that of this terminal (default: the workspace's last run)")
}

// declaredFlags returns the flags of the workspace's runners. The plugins that it starts
// serve the command, too.
func declaredFlags(ctx context.Context, a *app) ([]sdk.RunnerFlag, error) {
	// Only what decides which workspace and plugins are meant counts yet.
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.ParseErrorsAllowlist.UnknownFlags = true
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	a.bindWorkspace(set)
	_ = set.Parse(a.env.Args)
	defer func() { a.dir, a.plugins = "", nil }() // the command parses them again
	k, done, err := a.keeper(ctx)
	if err != nil {
		return nil, err
	}
	a.begun, a.closeBegun = k, done
	projects, err := k.Projects(ctx, a.where(), nil)
	if err != nil {
		return nil, nil // the command reports it
	}
	var declared []sdk.RunnerFlag
	for _, p := range projects {
		declared = append(declared, p.ID.RunnerFlags...)
	}
	return declared, nil
}

// projectsHere returns the projects of the workspace, for a help; none if that is not
// known.
func projectsHere(ctx context.Context, a *app) []project.Project {
	if ctx == nil {
		return nil
	}
	k, done, err := a.keeper(ctx)
	if err != nil {
		return nil
	}
	defer done()
	projects, _ := k.Projects(ctx, a.where(), nil)
	return projects
}

// arguments wraps a check of positional arguments, so that its error counts as one of
// usage.
func arguments(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageErrorf(cmd, "%w", err)
		}
		return nil
	}
}

// where returns the workspace that the user means.
func (a *app) where() api.Where {
	if a.dir == "" {
		return api.Where{Dir: "."}
	}
	return api.Where{Dir: a.dir, Exact: true}
}

// keeper makes the Keeper of this invocation. The returned function closes it.
func (a *app) keeper(ctx context.Context) (*ledger.Keeper, func(), error) {
	overrides, err := a.overrides()
	if err != nil {
		return nil, nil, err
	}
	if h := a.begun; h != nil && a.session == "" && !a.loginShell && maps.Equal(overrides, h.Cfg.Plugins) {
		a.begun = nil
		return h, a.closeBegun, nil
	}
	executable, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("cannot determine where proctor and its plugins are installed: %w", err)
	}
	named := a.session
	if named == api.ThisSession {
		named = ""
	}
	stateHome := a.env.stateHome()
	logger, closeLog := pluginlog.Open(a.env.get("PROCTOR_LOG"), a.env.Stderr, stateHome)
	k := ledger.New(project.Config{
		Version: version(), Executable: executable, Plugins: overrides, PluginStore: a.env.pluginStore(), UserLock: a.env.userLock(), UserConfig: a.env.userConfig(),
		Env: a.env.Environ, LoginShell: a.loginShell,
		Session: cmp.Or(named, a.env.get("PROCTOR_SESSION")), AnySession: a.session == "", StateHome: stateHome, CacheHome: a.env.cacheHome(), Logger: logger,
		Notice: a.tell, ExitsOnClose: a.env.Exits, Written: a.env.written,
	})
	return k, func() { k.Close(context.WithoutCancel(ctx)); closeLog() }, nil
}
