package cli

import (
	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/install"
)

func (a *app) pluginRemoveCommand() *cobra.Command {
	i := &installing{a: a}
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Take a plugin out of the lock file and the store",
		Long: `Take a plugin out of the lock file, and its files out of the store unless your own
lock file or this project's names the same version too. Another project that names
it gets it back with proctor plugin sync.

Exit codes: 0 removed · 2 usage · 3 it was not locked, or failed`,
		Example: `  proctor plugin remove lua`,
		Args:    takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return i.do("remove", func(in *install.Installer, lock string) (install.Answer, error) {
				return in.Remove(cmd.Context(), lock, args[0])
			})
		},
	}
	i.flags(cmd)
	return cmd
}
