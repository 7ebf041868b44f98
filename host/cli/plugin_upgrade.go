package cli

import (
	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/install"
)

func (a *app) pluginUpgradeCommand() *cobra.Command {
	i := &installing{a: a}
	var req install.UpgradeRequest
	cmd := &cobra.Command{
		Use:   "upgrade [NAME]",
		Short: "Install newer versions and lock them",
		Long: `Install the newest version of each plugin of the lock file, or of one, within the
constraint that it was installed with, and lock it. An index that is signed by
another key than before, or that is older than what is locked, is refused. Old
versions stay in the store, for other projects.

Exit codes: 0 done, or nothing to do · 2 usage · 3 refused or failed`,
		Example: `  proctor plugin upgrade --dry-run
  proctor plugin upgrade lua`,
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return i.do("upgrade", func(in *install.Installer, lock string) (install.Answer, error) {
				if req.Lock = lock; len(args) > 0 {
					req.Name = args[0]
				}
				return in.Upgrade(cmd.Context(), req)
			})
		},
	}
	i.flags(cmd)
	i.offlineFlag(cmd)
	cmd.Flags().BoolVar(&req.DryRun, "dry-run", false, "only say what would change")
	return cmd
}
