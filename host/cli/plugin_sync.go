package cli

import (
	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/install"
)

func (a *app) pluginSyncCommand() *cobra.Command {
	i := &installing{a: a}
	var req install.SyncRequest
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Install what the lock file names",
		Long: `Install everything that the lock file names and the store does not have, from where
it was locked, with exactly the hashes that are locked. The lock file is never
changed. What is installed and does not match is not replaced: that is an error.

With --check nothing is changed; it exits with 3 where something would be. With
--mirror everything comes from a copy that proctor plugin mirror made: the locked
hashes decide, so a mirror need not be trusted.

Exit codes: 0 everything is there · 2 usage · 3 something is missing, does not match
or could not be had`,
		Example: `  proctor plugin sync --check
  proctor plugin sync --mirror /media/usb/plugins --offline`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return i.do("sync", func(in *install.Installer, lock string) (install.Answer, error) {
				req.Lock = lock
				return in.Sync(cmd.Context(), req)
			})
		},
	}
	i.flags(cmd)
	i.offlineFlag(cmd)
	cmd.Flags().BoolVar(&req.Check, "check", false, "change nothing; exit with 3 where something would be changed")
	cmd.Flags().StringVar(&req.Mirror, "mirror", "", "take everything from a mirror: a directory or an address (`DIR|URL`)")
	return cmd
}
