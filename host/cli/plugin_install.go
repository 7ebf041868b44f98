package cli

import (
	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/install"
)

func (a *app) pluginInstallCommand() *cobra.Command {
	i := &installing{a: a}
	var req install.Request
	cmd := &cobra.Command{
		Use:   "install SPEC[@CONSTRAINT]",
		Short: "Install a plugin and lock it",
		Long: `Install a plugin into your store, and write what was installed into the lock file:
the project's proctor.lock where there is one, else your own. Nothing of the plugin
is executed. SPEC is one of

  ./FILE.tar.gz  ./DIR                     an archive of a plugin; a directory with
                                           what is in one
  https://HOST/index.json[#NAME]           a publisher's index, or file:///...
  go:MODULE/cmd/proctor-plugin-NAME        a Go package, built here
  NAME                                     a plugin of the lock file, once more

The key of a signed index is pinned at its first use, and from then on nothing else
is taken from there. --sha256 is the hash of the archive (of a directory: of its
binary); with another one nothing is installed. docs/plugins.md says more.

Exit codes: 0 installed, or was already · 2 usage · 3 refused or failed`,
		Example: `  proctor plugin install https://example.org/plugins/index.json#forge@'~> 0.3' --project
  proctor plugin install ./proctor-plugin-tap_1.0.0_linux_amd64.tar.gz
  proctor plugin install forge               once more, as it is locked`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return i.do("install", func(in *install.Installer, lock string) (install.Answer, error) {
				req.Lock, req.Spec = lock, args[0]
				return in.Install(cmd.Context(), req)
			})
		},
	}
	i.flags(cmd)
	i.offlineFlag(cmd)
	flags := cmd.Flags()
	flags.StringVar(&req.SHA256, "sha256", "", "the hash, in `HEX`, that the archive must have")
	flags.StringVar(&req.Key, "key", "", "the public `KEY` of minisign that must have signed the index: RW..., or a file")
	flags.BoolVar(&req.Repin, "repin", false, "let --key take the place of another key that is pinned")
	return cmd
}
