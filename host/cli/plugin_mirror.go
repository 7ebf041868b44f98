package cli

import (
	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/install"
)

func (a *app) pluginMirrorCommand() *cobra.Command {
	i := &installing{a: a}
	cmd := &cobra.Command{
		Use:   "mirror DIR",
		Short: "Copy everything that the lock file needs into a directory",
		Long: `Copy the archives that the lock file names, for all platforms that are locked, with
their indexes and signatures, into a directory: for a machine without a network, or
for a server of your own. Every hash is compared. On the other side:

  proctor plugin sync --mirror DIR

Go modules and plugins from a directory cannot be mirrored, which is an error after
everything else was copied.

Exit codes: 0 everything was copied · 2 usage · 3 refused or failed`,
		Example: `  proctor plugin mirror vendor/plugins
  proctor plugin sync --mirror vendor/plugins`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return i.do("mirror", func(in *install.Installer, lock string) (install.Answer, error) {
				return in.Mirror(cmd.Context(), lock, args[0])
			})
		},
	}
	i.flags(cmd)
	i.offlineFlag(cmd)
	return cmd
}
