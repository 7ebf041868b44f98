package front

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/fleet/internal/server"
	"github.com/proctorhq/proctor/fleet/internal/work"
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/fleetcall"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/workspace"
)

// defaultPort is Temporal's.
const defaultPort = 7233

func (f *fleet) commands(open fleetcall.Opener) []*cobra.Command {
	return []*cobra.Command{f.newWorkerCommand(open), f.newDevCommand(open)}
}

// place is where a worker keeps its things, and how much it does.
type place struct {
	dir   string
	slots int
}

func (p *place) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.dir, "dir", "", "keep checkouts in `DIR` (default: in proctor's state directory)")
	cmd.Flags().IntVar(&p.slots, "slots", max(runtime.NumCPU()/2, 1), "run `N` parts at a time, each in a checkout of its own")
}

func (f *fleet) newWorkerCommand(open fleetcall.Opener) *cobra.Command {
	var p place
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Run tests for others, until interrupted",
		Long: `Run parts of the runs that others start, until interrupted. A worker executes the code that
they send: start it as a user, or in a container, that may do nothing else. It fetches
sources with its own git credentials.`,
		Example: `  proctor-fleet worker --server temporal.example:7233 --store s3://s3.example/tests --slots 4`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 || p.slots < 1 {
				return &api.UsageError{Reason: "a worker takes no arguments, and at least one slot", Fix: cmd.CommandPath() + " --help"}
			}
			h, done, err := open(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			return f.work(cmd, h, p)
		},
	}
	f.bindPlace(cmd.Flags())
	p.bind(cmd)
	return cmd
}

// work runs batches until the command is interrupted.
func (f *fleet) work(cmd *cobra.Command, h *ledger.Keeper, p place) error {
	ctx := cmd.Context()
	identity := work.NewIdentity(p.slots)
	c, s, err := f.connect(ctx, h, identity)
	if err != nil {
		return err
	}
	defer c.Close()
	git, err := workspace.FindTool("git", h.Cfg.Env)
	if err != nil {
		return err
	}
	if p.dir == "" {
		p.dir = filepath.Join(home(h), "worker")
	}
	if p.dir, err = filepath.Abs(p.dir); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "proctor-fleet: %s ready for %s\n", api.Plural(p.slots, "slot"), f.server)
	return work.Serve(ctx, work.Config{Identity: identity, Client: c, Store: s, Dir: p.dir, Slots: p.slots, Git: git, Host: h.Cfg, Log: cmd.ErrOrStderr()})
}

func (f *fleet) newDevCommand(open fleetcall.Opener) *cobra.Command {
	var p place
	port := defaultPort
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Start a server with workers here, for trying a fleet",
		Long: `Start a Temporal server, kept in SQLite, and workers, both in this process, until
interrupted. Nothing else has to be installed. In another terminal, proctor run --fleet
runs tests there. The server listens on this machine only.`,
		Example: `  proctor-fleet dev --slots 4
  proctor-fleet dev --slots 0        only the server`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 || p.slots < 0 {
				return &api.UsageError{Reason: "it takes no arguments, and no negative number of slots", Fix: cmd.CommandPath() + " --help"}
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
			if p.slots == 0 {
				<-cmd.Context().Done()
				return s.Stop()
			}
			return errors.Join(f.work(cmd, h, p), s.Stop())
		},
	}
	f.bindPlace(cmd.Flags())
	_ = cmd.Flags().MarkHidden("server")
	cmd.Flags().IntVar(&port, "port", defaultPort, "listen at `PORT` and the seven after it")
	p.bind(cmd)
	return cmd
}
