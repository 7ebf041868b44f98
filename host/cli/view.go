package cli

import (
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/terminal"
)

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
