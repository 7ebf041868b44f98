package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/upload"
)

// sources are the flags of an upload.
type sources struct {
	path             string
	allowUnsandboxed bool
}

func (s *sources) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.path, "sources", "", "run the tests of the sources in `PATH`, a directory or a .json file {\"path\": \"content\"}, in a throw-away workspace and a sandbox; -C names the project whose dependencies they may use")
	cmd.Flags().BoolVar(&s.allowUnsandboxed, "allow-unsandboxed", false, "where there is no sandbox, run the sources of --sources without")
}

// check refuses flags that mean nothing without the sources.
func (s *sources) check(cmd *cobra.Command) error {
	switch {
	case cmd.Flags().Changed("sources") && s.path == "":
		return &flagError{errors.New("--sources is empty: name a directory or a .json file")}
	case s.path == "" && s.allowUnsandboxed:
		return &flagError{errors.New("--allow-unsandboxed is only for --sources: everything else runs without a sandbox anyway")}
	}
	return nil
}

// given reports whether the run is one of an upload.
func (s *sources) given() bool { return s.path != "" }

// runSources runs an upload and shows what became of it. Nothing of it is left
// when it returns.
func (a *app) runSources(ctx context.Context, h *ledger.Keeper, out output, s sources, req api.RunRequest) (err error) {
	view := a.newView(out)
	up, err := upload.RunUpload(ctx, h, api.UploadRequest{
		RunRequest: req, Sources: s.path, AllowUnsandboxed: s.allowUnsandboxed,
	}, view)
	view.close()
	defer func() { err = errors.Join(err, up.Close(context.WithoutCancel(ctx))) }()
	a.code = runsExit(up.Runs)
	if out.format != "raw" {
		return a.printRuns(ctx, h, out, up.Runs, err)
	}
	for _, run := range up.Runs {
		if rerr := a.printUploadRaw(ctx, up, run); rerr != nil {
			return errors.Join(err, rerr)
		}
	}
	return err
}

// printUploadRaw shows the runner's own output, and above it what the reader must
// not miss.
func (a *app) printUploadRaw(ctx context.Context, up *upload.Upload, run api.Run) error {
	raw, err := up.Raw(context.WithoutCancel(ctx), run)
	if err != nil {
		return err
	}
	for _, w := range run.Warnings {
		fmt.Fprintln(a.env.Stderr, "proctor: "+prose.Plain(w.Text))
	}
	a.printText(render.Raw(raw))
	return nil
}
