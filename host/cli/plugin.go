package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
)

func newPluginCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Install, check and write plugins",
		Long: `Install plugins for more languages, check them and write new ones.

Installing a plugin means running its author's code with your permissions. The lock file
(proctor.lock in a project, or your own) ensures that what runs tomorrow is what you
installed today; a pinned key ensures that what you install is what the author signed.
Only install, sync, upgrade, lock and mirror use the network.`,
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

func newPluginInfoCommand(a *app) *cobra.Command {
	var out *output
	cmd := &cobra.Command{
		Use:   "info NAME",
		Short: "Show a plugin's manifest, origin and hash",
		Long: `Show everything known about a plugin without executing it: its manifest, its installation
receipt, who signed it, and the hash that is checked at every launch.`,
		Example: `  proctor plugin info lua`,
		Args:    takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := listPlugins(cmd.Context(), a)
			if err != nil {
				return err
			}
			p, err := list.Plugin(args[0])
			if err != nil {
				return err
			}
			return print(a, out, p, plainly(pluginInfoText))
		},
	}
	out = newOutput(cmd, "an object")
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
	return prose.Plain(b.String())
}

func newPluginListCommand(a *app) *cobra.Command {
	var out *output
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List plugins: in use, refused, unused",
		Long: `List every plugin: those a run here would use and why, those refused and why, and those
installed that no lock file here uses. Nothing is executed, so the version of a plugin
beside proctor is not shown; plugins of a lock file are checked against it. Exits with 3
if a plugin that applies here is refused.

The first of these provides a plugin: --plugin or PROCTOR_PLUGIN_NAME (named),
proctor.lock (project), your own lock file (user), beside proctor (bundled).`,
		Example: `  proctor plugin list
  proctor plugin list --json`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := listPlugins(cmd.Context(), a)
			if err != nil {
				return err
			}
			if len(list.Refused) > 0 {
				a.code = exitTool
			}
			return print(a, out, list, plainly(pluginListText))
		},
	}
	out = newOutput(cmd, "an object")
	return cmd
}

func listPlugins(ctx context.Context, a *app) (project.PluginList, error) {
	k, done, err := a.keeper(ctx)
	if err != nil {
		return project.PluginList{}, err
	}
	defer done()
	return project.ListPlugins(ctx, k.Host, a.where())
}

func pluginListText(l project.PluginList) string {
	var b strings.Builder
	row := func(first, second, third, rest string) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-16s %-12s %-8s %s", first, second, third, rest), " ") + "\n")
	}
	for _, p := range l.Plugins {
		row(p.Name, p.Version, string(p.Origin), p.Path)
	}
	for _, p := range l.Unused {
		row(p.Name, p.Version, "unused", p.Path)
	}
	for _, r := range l.Refused {
		row(r.Name, r.Version, "refused", strings.TrimPrefix(r.Path+": "+r.Reason, ": "))
	}
	for _, r := range l.Unusable {
		row(r.Name, r.Version, "unusable", r.Path+": "+r.Reason)
	}
	for _, path := range l.Locks {
		fmt.Fprintf(&b, "lock file %s\n", path)
	}
	if b.Len() == 0 {
		return "no plugin; install one with proctor plugin install SPEC\n"
	}
	return prose.Plain(b.String())
}
