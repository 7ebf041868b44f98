package cli

import "github.com/spf13/cobra"

func newPluginCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Install, check and write plugins",
		Long: `Install plugins for more languages, and hold them to what was installed; write
plugins and check them.

Installing a plugin is running its author's code with your permissions. The lock
file, proctor.lock in a project or your own, makes sure that what runs tomorrow is
what you installed today; a pinned key makes sure that what you install is what
the author signed. Only install, sync, upgrade, lock and mirror use a network.`,
		Example: `  proctor plugin list
  proctor plugin install https://example.org/plugins/index.json#lua --project
  proctor plugin sync`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPluginListCommand(a), newPluginInfoCommand(a))
	cmd.AddCommand(newPluginInstallCommand(a), newPluginSyncCommand(a), newPluginUpgradeCommand(a), newPluginRemoveCommand(a),
		newPluginLockCommand(a), newPluginMirrorCommand(a), newPluginVerifyCommand(a))
	cmd.AddCommand(newPluginNewCommand(a), newPluginPackCommand(a))
	cmd.AddCommand(newPluginCheckCommand(a), newPluginExecCommand(a))
	return cmd
}
