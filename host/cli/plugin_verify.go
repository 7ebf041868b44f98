package cli

import (
	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/install"
)

func (a *app) pluginVerifyCommand() *cobra.Command {
	i := &installing{a: a}
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Compare installed plugins with the lock file, byte for byte",
		Long: `Hash what is installed of each plugin of the lock file, and compare. Nothing is
executed, fetched or mended.

Exit codes: 0 everything matches · 2 usage · 3 something does not, or is missing`,
		Example: `  proctor plugin verify`,
		Args:    takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return i.do("verify", func(in *install.Installer, lock string) (install.Answer, error) {
				return in.Verify(cmd.Context(), lock)
			})
		},
	}
	i.flags(cmd)
	return cmd
}
