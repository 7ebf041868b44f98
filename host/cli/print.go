package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/cli/reports"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/terminal"
)

// printRuns prints finished runs, and passes err on.
func printRuns(ctx context.Context, a *app, k *ledger.Keeper, out *output, runs []api.Run, err error) error {
	if !out.isJSON() && out.format != rawForm {
		runs = worstLast(runs)
	}
	for i, run := range runs {
		if i > 0 && !out.isJSON() {
			fmt.Fprintln(a.env.Stdout)
		}
		if perr := printRun(ctx, a, k, out, run); perr != nil && err == nil {
			err = perr
		}
	}
	return err
}

func printRun(ctx context.Context, a *app, k *ledger.Keeper, out *output, run api.Run) error {
	switch out.format {
	case jsonForm:
		return a.printJSON(run)
	case rawForm:
		raw, err := engine.ReadRawOutput(ctx, k, run)
		if err != nil {
			return err
		}
		a.printText(render.Raw(raw))
		if raw.Unrecorded {
			fmt.Fprintf(a.env.Stderr, "proctor: no output of run %s is on record; leave out --raw to see its results\n", run.RunID)
		}
	default:
		style := styleIn(context.WithoutCancel(ctx), a, k, a.where(), run.Language)
		style.Quiet = style.Quiet || out.format == quietForm
		style.Skips, style.Excerpts = out.skips, query.Excerpts(context.WithoutCancel(ctx), k, run)
		fmt.Fprint(a.env.Stdout, render.Ending(run, &out.asides, style))
	}
	return nil
}

func (a *app) style() render.Style { return styleOf(a, a.env.Stdout) }

// styleIn returns the style of an answer from a record, in the words of its languages.
func styleIn(ctx context.Context, a *app, k *ledger.Keeper, where api.Where, languages ...string) render.Style {
	style := a.style()
	style.Nouns, style.Names = ledger.SuiteWords(ctx, k, where)
	return style.Speaking(languages...)
}

// styleOf returns the style of what is written to a stream.
func styleOf(a *app, w io.Writer) render.Style {
	style := render.Style{Color: a.colored(w), ASCII: !a.env.hasUTF8(), Quiet: a.quiet, Verbose: a.verbose, Dir: a.dir}
	if isTerminal(w) {
		style.Columns, _ = size(w)
	}
	return style
}

// printText prints text with a test's own output: unchanged to a file or a pipe, made
// safe on a terminal.
func (a *app) printText(text string) { fmt.Fprint(a.env.Stdout, a.printable(text)) }

// printable returns a text in the form for standard output.
func (a *app) printable(text string) string {
	if isTerminal(a.env.Stdout) {
		return prose.Plain(text)
	}
	return text
}

// tell tells the user a sentence beside the answer.
func (a *app) tell(text string) {
	fmt.Fprintln(a.env.Stderr, styleOf(a, a.env.Stderr).Fold("proctor: "+prose.Plain(text)))
}

// printJSON prints an object on one line that is safe on a terminal.
func (a *app) printJSON(v any) error {
	line, err := prose.JSON(v)
	if err == nil {
		_, err = a.env.Stdout.Write(line)
	}
	return err
}

// notice prints a sentence instead of a run.
func (a *app) notice(out *output, n notice) {
	if out.isJSON() {
		n.Schema = "proctor.notice/v1"
		_ = a.printJSON(n)
		return
	}
	fmt.Fprintln(a.env.Stdout, a.style().Fold(n.Message))
	if n.Running != "" {
		fmt.Fprintf(a.env.Stdout, "(run %s is in progress)\n", prose.Line(n.Running))
	}
	if n.Earlier != nil {
		fmt.Fprintf(a.env.Stdout, "%s: `proctor rerun` runs it again\n", prose.Line(n.Earlier.String()))
	}
}

// The answers to questions about the last run if the workspace, or a session after others,
// has none.
const (
	noRunYet       = api.NoRunYet + ": proctor run"
	noRunOfSession = "no tests have been run in this session yet: proctor run"
)

// noRun prints the sentence for a workspace without a run, if err says so.
func (a *app) noRun(err error, out *output) bool {
	var none *api.NoRunError
	if !errors.As(err, &none) {
		return false
	}
	message := noRunYet
	if none.Earlier != nil {
		message = noRunOfSession
		if s := a.session; s != "" && s != api.ThisSession {
			message = "no test run of session " + prose.Line(s) + " is on record"
		}
	}
	a.notice(out, notice{Message: message, Running: none.Running, Earlier: none.Earlier})
	return true
}

// notice is what --json prints if there is no run.
type notice struct {
	Schema  string `json:"schema"`
	Message string `json:"message"`
	// Running is the first run, if it is in progress.
	Running string `json:"running,omitempty"`
	// Earlier is set if other sessions left something outstanding.
	Earlier *api.Earlier `json:"earlier,omitempty"`
}

// output is how an answer is printed: as text, as JSON, or in another form.
type output struct {
	format string
	// The flags.
	json, raw bool
	forms     []form
	reports   reports.Reports
	// chosen means that a flag or the environment sets the format.
	chosen bool
	// skips asks for every skipped test; asides collects what events of runs say beyond
	// their objects.
	skips  bool
	asides render.Asides
}

// form is a value of --format, and what it prints.
type form struct{ name, what string }

// The forms of every answer, and --json in the words of --format.
const (
	textForm = "text"
	jsonForm = "json"
	rawForm  = "raw"
	// quietForm is that of a run in which only what failed counts.
	quietForm = "quiet"
)

// runForms returns the forms of an answer about a finished run.
func runForms() []form {
	var forms []form
	for _, f := range terminal.Formats() {
		forms = append(forms, form{f.Name, f.What})
	}
	return append(forms, form{rawForm, "the runner's output"}, form{jsonForm, "the Run object"})
}

// newOutput declares --json, which prints the given object, and for a command with
// several forms --format, and --raw if that is one of them.
func newOutput(cmd *cobra.Command, object string, forms ...form) *output {
	o := &output{format: textForm, forms: forms}
	flags := cmd.Flags()
	flags.BoolVar(&o.json, "json", false, "print "+object)
	if len(forms) > 0 {
		var whats []string
		for _, f := range forms {
			whats = append(whats, f.name+" ("+f.what+")")
		}
		o.format = forms[0].name
		flags.StringVar(&o.format, "format", o.format, "output `FORM`: "+strings.Join(whats, ", "))
		_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(o.names(), cobra.ShellCompDirectiveNoFileComp))
	}
	if slices.Contains(o.names(), rawForm) {
		flags.BoolVar(&o.skips, "skips", false, "name every skipped test with its reason")
		flags.BoolVar(&o.raw, "raw", false, "print the runner's own output and its exit code")
	}
	cmd.PreRunE = func(*cobra.Command, []string) error {
		from := "--format"
		if !flags.Changed("format") {
			from = "PROCTOR_FORMAT"
		}
		err := errors.Join(o.reports.Begin(), o.settle(from))
		o.chosen = flags.Changed("format") || len(o.forms) > 0 && o.format != o.forms[0].name
		return err
	}
	return o
}

func (o *output) names() []string {
	var names []string
	for _, f := range o.forms {
		names = append(names, f.name)
	}
	return names
}

// settle decides which of the flags counts; from is what sets the format.
func (o *output) settle(from string) error {
	wanted := o.format
	for _, f := range []struct {
		given bool
		name  string
	}{{o.json, jsonForm}, {o.raw, rawForm}} {
		switch {
		case !f.given || wanted == f.name:
		case len(o.forms) == 0 || wanted == o.forms[0].name:
			wanted = f.name
		case o.json && o.raw:
			return &flags.Error{Err: fmt.Errorf("--json and --raw exclude each other")}
		default:
			return &flags.Error{Err: fmt.Errorf("--%s and --format %s exclude each other", f.name, o.format)}
		}
	}
	if len(o.forms) > 0 && !slices.Contains(o.names(), wanted) {
		return &flags.Error{Err: fmt.Errorf("%s %q: give one of %s", from, o.format, strings.Join(o.names(), ", "))}
	}
	o.format = wanted
	return nil
}

func (o *output) isJSON() bool { return o.format == jsonForm }

// question is what a command asks of a record.
type question[R, A any] func(context.Context, *ledger.Keeper, R) (A, error)

// keeperToAsk is keeper for a command that only asks.
func keeperToAsk(ctx context.Context, a *app) (*ledger.Keeper, func(), error) {
	if a.env.Exits {
		plugin.PutOffCollectionToAsk()
	}
	return a.keeper(ctx)
}

// askPlainly is askUnrecorded for an answer whose text takes no style.
func askPlainly[R, A any](ctx context.Context, a *app, out *output, asked question[R, A], req R, text func(A) string) error {
	return askUnrecorded(ctx, a, out, asked, req, plainly(text))
}

// askUnrecorded is ask for an answer that is not from the record, and not worth opening it.
func askUnrecorded[R, A any](ctx context.Context, a *app, out *output, asked question[R, A], req R, text func(A, render.Style) string) error {
	k, done, err := keeperToAsk(ctx, a)
	if err != nil {
		return err
	}
	defer done()
	answer, err := asked(ctx, k, req)
	if err != nil {
		return unanswered(a, err, out)
	}
	return printIn(a, out, answer, text, func() render.Style {
		style := a.style()
		style.Names = ledger.HeardNames(k)
		return style
	})
}

// ask asks a question and prints the answer.
func ask[R, A any](ctx context.Context, a *app, out *output, asked question[R, A], req R, text func(A, render.Style) string) error {
	k, done, err := keeperToAsk(ctx, a)
	if err != nil {
		return err
	}
	defer done()
	return askOf(ctx, a, k, out, asked, req, text)
}

// askOf asks of a record.
func askOf[R, A any](ctx context.Context, a *app, k *ledger.Keeper, out *output, asked question[R, A], req R, text func(A, render.Style) string) error {
	answer, err := asked(ctx, k, req)
	if err != nil {
		return unanswered(a, err, out)
	}
	// Only text needs the words, which may have to be read from the record.
	return printIn(a, out, answer, text, func() render.Style { return styleIn(ctx, a, k, a.where()) })
}

// unanswered passes on the error of a question, unless all it says is that there is no run
// yet, which is an answer too.
func unanswered(a *app, err error, out *output) error {
	if a.noRun(err, out) {
		return nil
	}
	return err
}

// exiting wraps a question so that its answer sets the exit code.
func exiting[R, A any](a *app, asked question[R, A], exit func(A) int) question[R, A] {
	return func(ctx context.Context, k *ledger.Keeper, req R) (A, error) {
		answer, err := asked(ctx, k, req)
		if err == nil {
			a.code = exit(answer)
		}
		return answer, err
	}
}

// print prints an answer as an object, or as text.
func print[A any](a *app, out *output, answer A, text func(A, render.Style) string) error {
	return printIn(a, out, answer, text, a.style)
}

func printIn[A any](a *app, out *output, answer A, text func(A, render.Style) string, styled func() render.Style) error {
	if out.isJSON() {
		return a.printJSON(answer)
	}
	style := styled()
	_, err := fmt.Fprint(a.env.Stdout, style.Fold(text(answer, style)))
	return err
}

// plainly adapts a renderer that takes no style.
func plainly[A any](text func(A) string) func(A, render.Style) string {
	return func(answer A, _ render.Style) string { return text(answer) }
}

// finish ends a command that made runs, and passes err on: it writes their reports, prints
// the runs, and executes the user's command.
func (o *output) finish(ctx context.Context, a *app, k *ledger.Keeper, then *after, runs []api.Run, err error) error {
	o.writeReports(ctx, a, k, err)
	err = printRuns(ctx, a, k, o, runs, err)
	o.endReports(ctx, a)
	then.follow(ctx, a, runs)
	return err
}

// writeReports writes the reports of a command that ended with err. If one cannot be
// written, the command does not exit with 0.
func (o *output) writeReports(ctx context.Context, a *app, k *ledger.Keeper, err error) {
	why := ""
	switch {
	case isInterrupt(ctx, err):
		why = "interrupted"
	case err != nil:
		why = errorText(err)
	}
	if o.reports.Write(ctx, a.surroundings(), k, err, why, a.code == exitPassed) && a.code == exitPassed {
		a.code = exitTool
	}
}

// endReports writes what a CI service reads, after everything else is printed.
func (o *output) endReports(ctx context.Context, a *app) {
	if o.reports.End(ctx, a.surroundings()) && a.code == exitPassed {
		a.code = exitTool
	}
}

func (a *app) surroundings() reports.Surroundings {
	return reports.Surroundings{Stderr: a.env.Stderr, Environ: a.env.Environ, Getenv: a.env.get, Dir: a.where().Dir, Version: version()}
}
