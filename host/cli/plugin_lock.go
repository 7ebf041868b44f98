package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/install"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

func (a *app) pluginLockCommand() *cobra.Command {
	i := &installing{a: a}
	var platforms []string
	cmd := &cobra.Command{
		Use:   "lock --platform all|PLATFORM,...",
		Short: "Lock the hashes of platforms that the lock file does not have yet",
		Long: `Fill in the hashes of further platforms, such as linux_amd64, from the indexes the
plugins came from; their signatures must hold. A hash that is locked is never
changed: where the index says another one, that is an error. Nothing is installed.

Exit codes: 0 locked · 2 usage · 3 refused or failed`,
		Example: `  proctor plugin lock --platform all
  proctor plugin lock --platform linux_amd64,darwin_arm64`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			req := install.LockRequest{}
			if !slices.Contains(platforms, "all") {
				for _, p := range platforms {
					req.Platforms = append(req.Platforms, manifest.Platform(p))
				}
			}
			return i.do("lock", func(in *install.Installer, lock string) (install.Answer, error) {
				if req.Lock = lock; len(platforms) == 0 {
					return install.Answer{}, &install.UsageError{Reason: "give --platform all, or platforms such as linux_amd64,darwin_arm64"}
				}
				return in.Lock(cmd.Context(), req)
			})
		},
	}
	i.flags(cmd)
	i.offlineFlag(cmd)
	cmd.Flags().StringSliceVar(&platforms, "platform", nil, "`PLATFORMS` as linux_amd64, separated by commas; or all")
	return cmd
}
