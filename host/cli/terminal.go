package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/ctxio"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/terminal"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// echo is how long after a signal another counts as the same one: `timeout` signals the
// process and its group, and npm and some shells pass on what the terminal has sent to all
// of them.
const echo = time.Second

// interruptible returns a context that the first signal cancels, so that a run ends in
// order. A later signal, after the echo, has its usual effect. Signals that were ignored
// when proctor started, as under nohup, stay ignored.
func interruptible() context.Context {
	var heeded []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if signal.Ignored(s) {
			swallow(s)
			continue
		}
		heeded = append(heeded, s)
	}
	if len(heeded) == 0 { // NotifyContext would take all signals
		return context.Background()
	}
	ctx, stop := signal.NotifyContext(context.Background(), heeded...)
	context.AfterFunc(ctx, func() { time.AfterFunc(echo, stop) })
	return ctx
}

// swallow catches a signal without acting on it. It is not ignored, since the tests
// would inherit that.
func swallow(s os.Signal) { signal.Notify(make(chan os.Signal, 1), s) }

// isTerminal reports whether a stream is a terminal.
func isTerminal(w any) bool {
	if checked, ok := w.(*ctxio.CheckedWriter); ok {
		w = checked.W
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// checkColor refuses a --color that means nothing.
func (a *app) checkColor() error {
	switch a.color {
	case "auto", "always", "never":
		return nil
	}
	return &flags.Error{Err: fmt.Errorf("--color %q: give one of auto, always, never", a.color)}
}

// colored decides about colors: by --color, else by the environment (no-color.org and
// the CLICOLOR convention), else by whether it is a terminal.
func (a *app) colored(w io.Writer) bool {
	switch a.color {
	case "always":
		return true
	case "never":
		return false
	}
	switch {
	case a.env.get("NO_COLOR") != "":
		return false
	case a.env.get("FORCE_COLOR") != "", a.env.get("CLICOLOR_FORCE") != "":
		return true
	}
	return isTerminal(w) && a.env.get("TERM") != "dumb"
}

// live reports whether a redrawn display makes sense.
func (a *app) live() bool {
	return !a.quiet && isTerminal(a.env.Stderr) && a.env.get("TERM") != "dumb" && a.env.get("CI") == ""
}

// hasUTF8 reports whether the terminal shows UTF-8: by the locale, see setlocale(3) for
// the order, or because it is Windows Terminal.
func (e environment) hasUTF8() bool {
	locale := cmp.Or(e.get("LC_ALL"), e.get("LC_CTYPE"), e.get("LANG"))
	locale = strings.ToLower(strings.ReplaceAll(locale, "-", ""))
	return strings.Contains(locale, "utf8") || e.get("WT_SESSION") != ""
}

// size returns the columns and rows of a terminal.
func size(w io.Writer) (columns, rows int) {
	if checked, ok := w.(*ctxio.CheckedWriter); ok {
		w = checked.W
	}
	if f, ok := w.(*os.File); ok {
		if columns, rows, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns, rows
		}
	}
	return 80, 24
}

// takeFormat takes the format of runs from PROCTOR_FORMAT if no flag sets it.
func takeFormat(cmd *cobra.Command, env environment) error {
	flags, format := cmd.Flags(), env.get("PROCTOR_FORMAT")
	f := flags.Lookup("format")
	if format == "" || f == nil || f.DefValue != terminal.Default || f.Changed || flags.Changed("json") || flags.Changed("raw") {
		return nil
	}
	return f.Value.Set(format)
}

// view shows a run while it is in progress, and collects asides.
type view struct {
	*terminal.View
	asides *render.Asides
}

// Listen hears an event.
func (v view) Listen(e api.Event) {
	v.asides.Listen(e)
	v.View.Listen(e)
}

func newView(a *app, out *output) view {
	if out.format != report.GitHubName { // which has commands of its own, and disarms those of tests
		out.reports.StopCommands(a.surroundings())
	}
	style := styleOf(a, a.env.Stderr)
	style.Quiet = style.Quiet || out.format == quietForm
	format, live := out.format, a.live()
	ends := !slices.Contains([]string{jsonForm, rawForm}, format)
	if !ends && !live {
		format = quietForm // a program reads the end
	}
	return view{terminal.New(terminal.Config{
		Out: a.env.Stderr, Asked: a.env.Stdout, Size: func() (int, int) { return size(a.env.Stderr) },
		Live: live, Repeated: ends && isTerminal(a.env.Stdout), Format: format, Style: style,
	}), &out.asides}
}
