package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
)

// output is how an answer is printed: as text, as JSON, or in another form.
type output struct {
	format string
	// The flags.
	json, raw bool
	forms     []form
}

// form is a value of --format, and what it prints.
type form struct{ name, what string }

// The forms that every answer has, and --json in the words of --format.
const (
	textForm = "text"
	jsonForm = "json"
	rawForm  = "raw"
)

// runForms are the forms of the answer about a run that has ended.
func runForms() []form {
	return []form{
		{textForm, "a summary"}, {"tests", "each test as it ends"}, {"failures", "the failure listing"},
		{rawForm, "the runner's output"}, {jsonForm, "the Run object"},
	}
}

// newOutput declares --json, which prints what is given, and for a command with
// several forms --format, and --raw if that is one of them.
func newOutput(cmd *cobra.Command, object string, forms ...form) *output {
	o := &output{format: textForm, forms: forms}
	flags := cmd.Flags()
	flags.BoolVar(&o.json, "json", false, "print "+object)
	if len(forms) > 0 {
		var whats []string
		for _, f := range forms {
			whats = append(whats, f.what)
		}
		flags.StringVar(&o.format, "format", textForm, "`FORM`: "+strings.Join(o.names(), ", ")+": "+strings.Join(whats, ", "))
		_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(o.names(), cobra.ShellCompDirectiveNoFileComp))
	}
	if slices.Contains(o.names(), rawForm) {
		flags.BoolVar(&o.raw, "raw", false, "print the runner's own output and exit code")
	}
	cmd.PreRunE = func(*cobra.Command, []string) error { return o.settle() }
	return o
}

func (o *output) names() []string {
	var names []string
	for _, f := range o.forms {
		names = append(names, f.name)
	}
	return names
}

// settle decides which of the flags counts.
func (o *output) settle() error {
	wanted := o.format
	for _, f := range []struct {
		given bool
		name  string
	}{{o.json, jsonForm}, {o.raw, rawForm}} {
		switch {
		case !f.given || wanted == f.name:
		case wanted == textForm:
			wanted = f.name
		case o.json && o.raw:
			return &flagError{fmt.Errorf("--json and --raw exclude each other")}
		default:
			return &flagError{fmt.Errorf("--%s and --format %s exclude each other", f.name, o.format)}
		}
	}
	if len(o.forms) > 0 && !slices.Contains(o.names(), wanted) {
		return &flagError{fmt.Errorf("--format %q: give one of %s", o.format, strings.Join(o.names(), ", "))}
	}
	o.format = wanted
	return nil
}

func (o *output) isJSON() bool { return o.format == jsonForm }

// ask asks a question and prints the answer.
func ask[R, A any](ctx context.Context, a *app, out *output, question func(context.Context, *ledger.Keeper, R) (A, error), req R, text func(A, render.Style) string) error {
	h, done, err := a.host(ctx)
	if err != nil {
		return err
	}
	defer done()
	answer, err := question(ctx, h, req)
	if a.noRun(err, out) {
		return nil
	}
	if err != nil {
		return err
	}
	return print(a, out, answer, text)
}

// exiting sets the exit code by the answer to a question.
func exiting[R, A any](a *app, question func(context.Context, *ledger.Keeper, R) (A, error), exit func(A) int) func(context.Context, *ledger.Keeper, R) (A, error) {
	return func(ctx context.Context, h *ledger.Keeper, req R) (A, error) {
		answer, err := question(ctx, h, req)
		if err == nil {
			a.code = exit(answer)
		}
		return answer, err
	}
}

// print prints an answer as an object, or as text.
func print[A any](a *app, out *output, answer A, text func(A, render.Style) string) error {
	if out.isJSON() {
		return a.printJSON(answer)
	}
	_, err := fmt.Fprint(a.env.Stdout, text(answer, a.style()))
	return err
}

// plainly makes a text of an answer that has no colours.
func plainly[A any](text func(A) string) func(A, render.Style) string {
	return func(answer A, _ render.Style) string { return text(answer) }
}

func newOutputCommand(a *app) *cobra.Command {
	var req api.OutputRequest
	cmd := &cobra.Command{
		Use:   "output TEST",
		Short: "Print one test's whole output",
		Long: `Print one test's whole output, with that of its subtests. TEST is a name as the
reports show it, or the end of one. A suite's name prints all of its output.`,
		Example: `  proctor output TestParse/empty_input
  proctor output 'example.com/app/parser TestParse'`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where, req.Test = a.where(), args[0]
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			out, err := query.Output(cmd.Context(), h, req.LastRun, req.Test)
			if a.noRun(err, &output{}) {
				return nil
			}
			if err != nil {
				return err
			}
			a.printText(out.Text)
			switch {
			case out.Text == "":
				fmt.Fprintf(a.env.Stderr, "proctor: %s printed nothing\n", prose.Line(req.Test))
			case !strings.HasSuffix(out.Text, "\n"):
				fmt.Fprintln(a.env.Stdout)
			}
			if out.Truncated {
				fmt.Fprintln(a.env.Stderr, "proctor: the output goes on; the record in .proctor has more")
			}
			return nil
		},
	}
	bind(cmd, req.Params())
	return cmd
}
