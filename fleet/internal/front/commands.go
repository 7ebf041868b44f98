package front

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/fleet/internal/server"
	"github.com/proctorhq/proctor/fleet/internal/work"
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/fleetcall"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/workspace"
)

// defaultPort is Temporal's default.
const defaultPort = 7233

func (f *fleet) commands(open fleetcall.Opener) []*cobra.Command {
	return []*cobra.Command{f.newWorkerCommand(open), f.newDevCommand(open), f.newPruneCommand(open)}
}

// workerFlags say where a worker keeps its checkouts, and how much it runs at a time.
type workerFlags struct {
	dir   string
	slots int
	keep  time.Duration
}

func (w *workerFlags) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.dir, "dir", "", "keep checkouts in `DIR` (default: in proctor's state directory)")
	cmd.Flags().IntVar(&w.slots, "slots", max(runtime.NumCPU()/2, 1), "run `N` parts at a time, each in a checkout of its own")
	bindKeep(cmd, &w.keep, "; 0 keeps all")
}

func (w workerFlags) check() error {
	if w.keep != 0 && w.keep < keepLeast {
		return &api.UsageError{Reason: fmt.Sprintf("--keep %v is too short: a run that is being merged would be removed", w.keep), Fix: "give an hour at least, or 0 to keep all"}
	}
	return nil
}

func (f *fleet) newWorkerCommand(open fleetcall.Opener) *cobra.Command {
	var w workerFlags
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Run tests for others, until interrupted",
		Long: `Run parts of the runs that others start, until interrupted. A worker executes the code that
they send: start it as a user, or in a container, with no other rights. It fetches
sources with its own git credentials.`,
		Example: `  proctor-fleet worker --server temporal.example:7233 --store s3://s3.example/tests --slots 4`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 || w.slots < 1 {
				return &api.UsageError{Reason: "a worker takes no arguments, and needs at least one slot", Fix: cmd.CommandPath() + " --help"}
			}
			if err := w.check(); err != nil {
				return err
			}
			h, done, err := open(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			return f.work(cmd, h, w)
		},
	}
	f.bindConnection(cmd.Flags())
	w.bind(cmd)
	return cmd
}

// work runs batches until the command is interrupted.
func (f *fleet) work(cmd *cobra.Command, k *ledger.Keeper, w workerFlags) error {
	ctx := cmd.Context()
	if w.dir == "" {
		w.dir = filepath.Join(home(k), "worker")
	}
	dir, err := filepath.Abs(w.dir)
	if err != nil {
		return err
	}
	identity, release, err := work.TakeIdentity(dir, w.slots)
	if err != nil {
		return fmt.Errorf("the worker cannot use %s: %w; name another with --dir", dir, err)
	}
	defer release()
	c, s, err := f.connect(ctx, k, identity, false)
	if err != nil {
		return err
	}
	defer c.Close()
	git, err := workspace.FindTool("git", k.Cfg.Env)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "proctor-fleet: %s ready for %s\n", api.Plural(w.slots, "slot"), f.server)
	defer f.pruneDaily(ctx, c, s, w.keep, cmd.ErrOrStderr())()
	return work.Serve(ctx, work.Config{Identity: identity, Client: c, Namespace: f.namespace, Store: s, Dir: dir, Slots: w.slots, Git: git, Host: k.Cfg, Log: cmd.ErrOrStderr()})
}

func (f *fleet) newDevCommand(open fleetcall.Opener) *cobra.Command {
	var w workerFlags
	port := defaultPort
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Start a server with workers here, for trying a fleet",
		Long: `Start a Temporal server on SQLite and workers, both in this process, until
interrupted. Nothing else needs to be installed. In another terminal, proctor run
--fleet runs tests there. The server listens on this machine only.`,
		Example: `  proctor-fleet dev --slots 4
  proctor-fleet dev --slots 0        only the server`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 || w.slots < 0 {
				return &api.UsageError{Reason: "dev takes no arguments, and --slots is 0 or more", Fix: cmd.CommandPath() + " --help"}
			}
			if err := w.check(); err != nil {
				return err
			}
			if port < 1 || port > server.MaxPort {
				return &api.UsageError{Reason: fmt.Sprintf("--port %d leaves no room for the seven ports after it", port), Fix: fmt.Sprintf("give 1 to %d", server.MaxPort)}
			}
			h, done, err := open(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			s, err := server.Start(cmd.Context(), filepath.Join(home(h), "server"), port, defaultNamespace)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "proctor-fleet: a Temporal server at %s, for this machine only; to run tests there: proctor run --fleet\n", s.Address)
			f.server = s.Address
			if w.slots == 0 {
				<-cmd.Context().Done()
				return s.Stop()
			}
			return errors.Join(f.work(cmd, h, w), s.Stop())
		},
	}
	f.bindConnection(cmd.Flags())
	_ = cmd.Flags().MarkHidden("server")
	cmd.Flags().IntVar(&port, "port", defaultPort, "listen on `PORT` and the seven after it")
	w.bind(cmd)
	return cmd
}
