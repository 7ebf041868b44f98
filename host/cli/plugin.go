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

func newPluginInfoCommand(a *app) *cobra.Command {
	var out *output
	cmd := &cobra.Command{
		Use:   "info NAME",
		Short: "Show a plugin's manifest, where it came from, and what it is held to",
		Long: `Show all that is known of a plugin without executing it: its manifest, the receipt
of its installation, who signed it, and the hash that is compared at every launch.`,
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
		Short: "List plugins: those in use, those refused and why, those unused",
		Long: `List every plugin: those that a run here would use and why, those that are
refused and for what reason, and those that are installed and used by no lock file
that counts here. Nothing is executed, so the version of a plugin that lies beside
proctor is not told; what a lock file names is compared with it. Exits with 3 when
something that counts here is refused.

A plugin's name is taken by the first of: --plugin or PROCTOR_PLUGIN_NAME (named),
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
	h, done, err := a.host(ctx)
	if err != nil {
		return project.PluginList{}, err
	}
	defer done()
	return project.ListPlugins(ctx, h.Host, a.where())
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
