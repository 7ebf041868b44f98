package main

import (
	"context"
	"fmt"

	"github.com/proctorhq/proctor/host"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
)

// printRuns shows finished runs, and passes err on.
func (a *app) printRuns(ctx context.Context, h *host.Host, out output, runs []record.Run, err error) error {
	for i, run := range runs {
		if i > 0 && out.format != "json" {
			fmt.Fprintln(a.env.Stdout)
		}
		if perr := a.printRun(ctx, h, out, run); perr != nil && err == nil {
			err = perr
		}
	}
	return err
}

func (a *app) printRun(ctx context.Context, h *host.Host, out output, run record.Run) error {
	switch out.format {
	case "json":
		return a.printJSON(run)
	case "raw":
		raw, err := h.Raw(ctx, run)
		if err != nil {
			return err
		}
		a.printText(report.Raw(raw))
		if raw.Unrecorded {
			fmt.Fprintf(a.env.Stderr, "proctor: no output of run %s is on record; run without --raw to see what is known of it\n", run.RunID)
		}
	case "failures":
		a.printText(report.Failures(run, 0))
	default:
		fmt.Fprint(a.env.Stdout, report.Summary(run, a.style()))
	}
	return nil
}

func (a *app) style() report.Style {
	return report.Style{Color: a.colored(a.env.Stdout), Quiet: a.quiet, Verbose: a.verbose}
}

// printText prints text that holds a test's own output: as it is into a file or
// a pipe, made harmless on a terminal.
func (a *app) printText(text string) {
	if isTerminal(a.env.Stdout) {
		text = report.Plain(text)
	}
	fmt.Fprint(a.env.Stdout, text)
}

// printJSON prints an object on one line, harmless also on a terminal.
func (a *app) printJSON(v any) error {
	line, err := report.JSON(v)
	if err == nil {
		_, err = a.env.Stdout.Write(line)
	}
	return err
}

// notice prints a sentence that stands instead of a run.
func (a *app) notice(out output, n notice) {
	if out.format == "json" {
		n.Schema = "proctor.notice/v1"
		_ = a.printJSON(n)
		return
	}
	fmt.Fprintln(a.env.Stdout, n.Message)
	if n.Running != "" {
		fmt.Fprintf(a.env.Stdout, "(run %s goes on)\n", report.Line(n.Running))
	}
	if n.Earlier != nil {
		fmt.Fprintf(a.env.Stdout, "%s: `proctor rerun` runs it again\n", report.Line(n.Earlier.String()))
	}
}

// notice is what --json prints where there is no run to print.
type notice struct {
	Schema  string `json:"schema"`
	Message string `json:"message"`
	// Running is the session's first run, where it goes on.
	Running string `json:"running,omitempty"`
	// Earlier is there where other sessions left something outstanding.
	Earlier *host.Earlier `json:"earlier,omitempty"`
}
