package front

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/proctorhq/proctor/fleet/internal/job"
	"github.com/proctorhq/proctor/fleet/internal/store"
	"github.com/proctorhq/proctor/fleet/internal/work"
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/fleetcall"
	"github.com/proctorhq/proctor/host/prose"
)

const (
	// keepDefault is how long the store keeps a run: long enough to follow it again after a
	// holiday.
	keepDefault = 14 * 24 * time.Hour
	// keepLeast spares a run that is being planned or merged.
	keepLeast = time.Hour
	pruneWait = 24 * time.Hour
)

func bindKeep(cmd *cobra.Command, keep *time.Duration, more string) {
	cmd.Flags().DurationVar(keep, "keep", keepDefault, "remove runs from the store that ended this `TIME` ago, an hour at least"+more)
}

func (f *fleet) newPruneCommand(open fleetcall.Opener) *cobra.Command {
	var keep time.Duration
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old runs from the store",
		Long: `Remove the runs that have ended, and to which nothing was added for a while, from the
store, with their sources. Workers do that once a day. What proctor recorded where a run
was started stays, but the run can no longer be followed with --attach.`,
		Example: `  proctor-fleet prune --keep 72h`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 || keep < keepLeast {
				return &api.UsageError{Reason: "it takes no arguments, and keeps runs for an hour at least", Fix: cmd.CommandPath() + " --help"}
			}
			h, done, err := open(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			c, s, err := f.connect(cmd.Context(), h, "proctor-fleet prune", false)
			if err != nil {
				return err
			}
			defer c.Close()
			removed, err := prune(cmd.Context(), c, s, keep)
			fmt.Fprintf(cmd.ErrOrStderr(), "proctor-fleet: %s removed from the store\n", api.Plural(len(removed), "run"))
			return err
		},
	}
	f.bindConnection(cmd.Flags())
	bindKeep(cmd, &keep, "")
	return cmd
}

// prune removes runs that the server no longer runs.
func prune(ctx context.Context, c client.Client, s store.Store, keep time.Duration) ([]string, error) {
	cleaned, ok := s.(store.Cleaned)
	if !ok {
		return nil, errors.New("nothing can be removed from this store")
	}
	return job.Prune(ctx, cleaned, time.Now().Add(-keep), func(ctx context.Context, id string, newest time.Time) (bool, error) {
		answer, err := c.DescribeWorkflowExecution(ctx, workflowID(id), "")
		var none *serviceerror.NotFound
		if errors.As(err, &none) {
			// The server has forgotten it, or the run belongs to another server or namespace.
			return time.Since(newest) < work.BatchLimit, nil
		}
		return answer.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING, err
	})
}

// pruneDaily prunes now and every day, until the context ends or the returned function is
// called.
func (f *fleet) pruneDaily(ctx context.Context, c client.Client, s store.Store, keep time.Duration, log io.Writer) (stop func()) {
	if keep == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			removed, err := prune(ctx, c, s, keep)
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				fmt.Fprintf(log, "proctor-fleet: old runs could not be removed from the store: %s\n", prose.Line(err.Error()))
			case len(removed) > 0:
				fmt.Fprintf(log, "proctor-fleet: %s removed from the store\n", api.Plural(len(removed), "old run"))
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(pruneWait):
			}
		}
	}()
	return func() { cancel(); <-ended }
}
