package cli

import "github.com/spf13/cobra"

func (a *app) pluginCommand() *cobra.Command {
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
	cmd.AddCommand(a.pluginListCommand(), a.pluginInfoCommand())
	cmd.AddCommand(a.pluginInstallCommand(), a.pluginSyncCommand(), a.pluginUpgradeCommand(), a.pluginRemoveCommand(),
		a.pluginLockCommand(), a.pluginMirrorCommand(), a.pluginVerifyCommand())
	cmd.AddCommand(a.pluginNewCommand(), a.pluginPackCommand())
	cmd.AddCommand(a.pluginCheckCommand(), a.pluginExecCommand())
	return cmd
}
