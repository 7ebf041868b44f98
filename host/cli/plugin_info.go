package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
)

func (a *app) pluginInfoCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info NAME",
		Short: "Show a plugin's manifest, where it came from, and what it is held to",
		Long: `Show all that is known of a plugin without executing it: its manifest, the receipt
of its installation, who signed it, and the hash that is compared at every launch.`,
		Example: `  proctor plugin info lua`,
		Args:    takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := a.pluginList(cmd)
			if err != nil {
				return err
			}
			p, err := list.Plugin(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(p)
			}
			fmt.Fprint(a.env.Stdout, prose.Plain(pluginInfoText(p)))
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print an object")
	return cmd
}

func pluginInfoText(p project.PluginInUse) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-13s %s\n", name, value)
		}
	}
	line("name", p.Name)
	line("version", p.Version)
	if m := p.Manifest; m != nil {
		line("summary", m.Summary)
		line("protocols", strings.Trim(fmt.Sprint(m.Protocols), "[]"))
		line("detects", strings.Join(m.Detect.AnyFile, ", "))
		var platforms []string
		for _, platform := range slices.Sorted(maps.Keys(m.Platforms)) {
			platforms = append(platforms, string(platform))
		}
		line("installed for", strings.Join(platforms, ", "))
	}
	line("origin", string(p.Origin))
	line("path", p.Path)
	line("lock file", p.Lock)
	line("expected", p.Hash)
	if r := p.Receipt; r != nil {
		line("source", r.Source)
		line("signer", r.Signer)
		line("archive", r.Archive)
		line("binary", r.Bin)
		line("module", r.ModuleSum)
		line("toolchain", r.Toolchain)
		line("installed at", r.InstalledAt.UTC().Format(time.RFC3339)+" by proctor "+r.InstalledBy)
	}
	return b.String()
}
