package fleetcall

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
)

// Extension is what proctor-fleet has beside proctor's commands. The zero value, that of
// proctor, has nothing.
type Extension struct {
	// Run runs tests elsewhere: at the end it sends the events of the runs to all
	// listeners but the first, which shows what happens meanwhile. Flags declares its
	// flags.
	Run   Executor
	Flags func(*pflag.FlagSet)
	// Commands returns the program's own commands.
	Commands func(Opener) []*cobra.Command
}

// Executor runs tests.
type Executor func(context.Context, *ledger.Keeper, api.RunRequest, ...api.Listener) ([]api.Run, error)

// Opener opens the Keeper of an invocation, and returns what closes it.
type Opener func(context.Context) (*ledger.Keeper, func(), error)

// IsFleet reports whether this is proctor-fleet.
func (x Extension) IsFleet() bool { return x.Run != nil }

// Executor returns what runs tests.
func (x Extension) Executor() Executor {
	if x.IsFleet() {
		return x.Run
	}
	return engine.Run
}

// Bind declares the flags of `run` that decide where tests run.
func (x Extension) Bind(set *pflag.FlagSet) {
	if x.IsFleet() {
		x.Flags(set)
		return
	}
	set.Bool("fleet", false, "run on the workers of a fleet: proctor-fleet run, with its flags")
}

// AddTo makes a tree of commands that of the program.
func (x Extension) AddTo(root *cobra.Command, open Opener) {
	if x.IsFleet() {
		root.Use = program
		root.AddCommand(x.Commands(open)...)
	}
}
