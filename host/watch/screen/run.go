package screen

import (
	"context"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ctxio"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/watch"
)

// Config is where a watch is shown.
type Config struct {
	Stdin  io.Reader
	Stdout io.Writer
	// Stderr is where other code prints meanwhile; at a terminal that is redirected above
	// the view.
	Stderr *io.Writer
	// Live reports whether the output is a terminal that can be redrawn, and Color
	// enables colors.
	Live, Color bool
	// Selects reports whether the watch is of only some tests: changes cannot select, too.
	Selects bool
}

// Run shows a watch until the user or ctx ends it. It always restores the terminal.
// interrupted is as in [watch.Watch.Run].
func Run(ctx context.Context, w *watch.Watch, cfg Config) (interrupted bool, err error) {
	in, isFile := cfg.Stdin.(*os.File)
	if !cfg.Live || !isFile || !term.IsTerminal(int(in.Fd())) {
		w.Viewer = &plain{out: cfg.Stdout, color: cfg.Color}
		return w.Run(ctx), nil
	}
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return false, err
	}
	restore := func() {
		_, _ = io.WriteString(cfg.Stdout, plainPaste)
		_ = term.Restore(int(in.Fd()), before)
	}
	defer restore()
	_, _ = io.WriteString(cfg.Stdout, bracketPaste)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	commands := make(chan watch.Command)
	s := &Screen{
		selects: cfg.Selects,
		area:    area{out: cfg.Stdout, color: cfg.Color, size: sizeOf(in)}, restore: restore, commands: commands,
		raw: func() {
			_, _ = term.MakeRaw(int(in.Fd()))
			_, _ = io.WriteString(cfg.Stdout, bracketPaste)
		},
		why: func(t api.OutstandingTest, last watch.Result) string {
			why, err := w.Explain(ctx, t)
			if err != nil {
				return prose.Plain(err.Error())
			}
			columns, _ := sizeOf(in)()
			return render.Why(why, render.Style{Color: cfg.Color, Columns: columns, Nouns: last.Nouns, Names: last.Names})
		},
	}
	defer s.close()
	stderr := *cfg.Stderr
	*cfg.Stderr = s
	defer func() { *cfg.Stderr = stderr }()
	go s.readKeys(ctx, &ctxio.Reader{Ctx: ctx, R: in})
	go s.followSize(ctx)
	w.Viewer, w.Commands = s, commands
	return w.Run(ctx), nil
}

// sizeOf asks a terminal for its columns and rows.
func sizeOf(f *os.File) func() (columns, rows int) {
	return func() (columns, rows int) {
		if columns, rows, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 && rows > 0 {
			return columns, rows
		}
		return 80, 24
	}
}
