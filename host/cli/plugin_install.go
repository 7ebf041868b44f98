package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/install"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

func newPluginInstallCommand(a *app) *cobra.Command {
	i := &installing{a: a}
	var req install.Request
	cmd := &cobra.Command{
		Use:   "install SPEC[@CONSTRAINT]",
		Short: "Install a plugin and lock it",
		Long: `Install a plugin into your store, and record it in the lock file: the project's
proctor.lock if there is one, otherwise your own. Nothing of the plugin is executed. SPEC
is one of

  ./FILE.tar.gz  ./DIR                a plugin's archive, or a directory with its content
  https://HOST/index.json[#NAME]      a publisher's index, or file:///...
  go:MODULE/cmd/proctor-plugin-NAME   a Go package, built here
  NAME                                a plugin of the lock file, again

The key of a signed index is pinned on first use, and no other is accepted from there.
--sha256 is the required hash of the archive (of a directory: of its binary); on a
mismatch nothing is installed. See docs/plugins.md.

Exit codes: 0 installed, or was already · 2 usage · 3 rejected or failed`,
		Example: `  proctor plugin install https://example.org/plugins/index.json#forge@'~> 0.3' --project
  proctor plugin install ./proctor-plugin-tap_1.0.0_linux_amd64.tar.gz
  proctor plugin install forge               again, as it is locked`,
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
	flags.StringVar(&req.SHA256, "sha256", "", "the required hash of the archive, in `HEX`")
	flags.StringVar(&req.Key, "key", "", "the minisign public `KEY` that must have signed the index: RW..., or a file")
	flags.BoolVar(&req.Repin, "repin", false, "replace the pinned key with --key")
	return cmd
}

// installing is one command that changes or compares installed plugins.
type installing struct {
	a *app
	// The flags of all of them.
	out           *output
	project, user bool
	offline       bool
}

// flags adds the flags of all these commands.
func (i *installing) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&i.project, "project", false, "use the project's proctor.lock")
	flags.BoolVar(&i.user, "user", false, "use your own plugins.lock")
	i.out = newOutput(cmd, "an object")
}

// offlineFlag is for the commands that may use a network.
func (i *installing) offlineFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&i.offline, "offline", false, "use no network; fail at once if it is needed")
}

// do executes one command and prints what it did. With --json a refusal is an object,
// too, even before anything was examined.
func (i *installing) do(command string, work func(in *install.Installer, lock string) (install.Answer, error)) error {
	var answer install.Answer
	lock, err := i.lockFile(command == "install")
	if err == nil {
		answer, err = work(install.New(i.config(lock)), lock)
	}
	if install.Misuse(err) {
		err = &flags.Error{Err: err}
	}
	if err != nil {
		if i.out.isJSON() {
			return errors.Join(i.a.printJSON(install.Refused(command, lock, err)), err)
		}
		return err
	}
	if !answer.OK() {
		i.a.code = exitTool
	}
	return print(i.a, i.out, answer, plainly(answerText))
}

// lockFile returns the lock file to use: the project's if there is one, else the
// user's.
func (i *installing) lockFile(create bool) (string, error) {
	if i.project && i.user {
		return "", &flags.Error{Err: errors.New("--project and --user exclude each other")}
	}
	own := i.a.env.userLock()
	if i.user {
		return own, nil
	}
	dir := i.a.where().Dir
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return "", &flags.Error{Err: fmt.Errorf("%s is not a directory; give the project's with --workspace", dir)}
	}
	found, err := install.FindLock(dir)
	switch {
	case err != nil || found != "":
		return found, err
	case i.project && create:
		return install.NewLock(dir)
	case i.project:
		return "", errors.New("there is no proctor.lock here; make one with `proctor plugin install SPEC --project`")
	}
	return own, nil
}

func (i *installing) config(lock string) install.Config {
	env := i.a.env
	return install.Config{
		Store: env.pluginStore(), Keys: env.pinnedKeys(), Locks: []string{lock, env.userLock(), i.projectLock()},
		HostVersion: version(), Protocols: []int{sdk.ProtocolVersion},
		Env: env.Environ, Offline: i.offline, Events: i.events(),
	}
}

// projectLock returns the project's lock file, even if another is used; empty if there is
// none.
func (i *installing) projectLock() string {
	found, err := install.FindLock(i.a.where().Dir)
	if err != nil {
		return ""
	}
	return found
}

// events reports each step on a line of standard error; what matters for security even
// with --quiet.
func (i *installing) events() install.Events {
	say := func(format string, args ...any) {
		fmt.Fprintln(i.a.env.Stderr, "proctor: "+prose.Line(fmt.Sprintf(format, args...)))
	}
	return install.Events{
		Rebuilt: func(name, version, path string) {
			say("%s %s: the new build differs from the binary in %s, and replaces it; another version of Go would explain the difference", name, version, path)
		},
		Resolved: func(name, version, source string) { i.a.hint("%s %s of %s", name, version, source) },
		Waiting: func(name, version string) {
			i.a.hint("%s %s: waiting for another proctor that is installing it", name, version)
		},
		Fetching: func(name, version, address string) {
			i.a.hint("%s %s: fetching from %s", name, version, address)
		},
		Pinned: func(index, key string) {
			say("%s is signed by the key %s, which is pinned for it from now on; compare it with the key that its publisher names elsewhere", index, key)
		},
		Unsigned: func(index string) {
			say("%s is not signed: nobody vouches for its content; from now on the lock file keeps it from changing", index)
		},
		Unchecked: func(index string) {
			say("%s is signed, but no key is pinned for it here: only the hashes of the lock file vouch for what comes from it", index)
		},
		Unvouched: func(source string) {
			say("%s is not compared with Go's checksum database, which GOSUMDB, GONOSUMDB or GOPRIVATE turn off; from now on the lock file keeps it from changing", source)
		},
		Installed: func(name, version, path string, already bool) {
			if !already {
				i.a.hint("%s %s: installed", name, version)
			}
		},
		Replacing: func(name, version, path string) {
			say("%s %s: the files in %s changed since they were installed, and are replaced", name, version, path)
		},
	}
}

func answerText(a install.Answer) string {
	var b strings.Builder
	for _, p := range a.Plugins {
		fmt.Fprintf(&b, "%s %s %s", action(a, p), p.Name, p.Version)
		if p.From != "" {
			fmt.Fprintf(&b, " (was %s)", p.From)
		}
		if a.Command == "sync" && p.Source != "" && (p.Action == install.Installed || p.Action == install.Missing) {
			// Somebody else chose the source.
			fmt.Fprintf(&b, " of %s", p.Source)
		}
		if p.FromSource != "" {
			fmt.Fprintf(&b, " from %s (was from %s)", p.Source, p.FromSource)
		}
		if p.Problem != "" {
			fmt.Fprintf(&b, ": %s", p.Problem)
		}
		if p.Note != "" {
			fmt.Fprintf(&b, " (%s)", p.Note)
		}
		b.WriteString("\n")
		if p.Detail != "" {
			b.WriteString(p.Detail + "\n")
		}
		if len(p.Platforms) > 0 && p.Problem == "" && (a.Command == "lock" || a.Command == "mirror") {
			for _, platform := range p.Platforms {
				fmt.Fprintf(&b, "  %s\n", platform)
			}
		}
	}
	if a.OK() && !a.DryRun && (a.Command == "install" || a.Command == "upgrade") && len(a.Plugins) > 0 {
		fmt.Fprintf(&b, "locked in %s\n", a.Lock)
		if a.BindsOthers() {
			b.WriteString("its source is a path of this machine, from which others cannot sync: publish an index, or give them a mirror (docs/plugins.md)\n")
		}
	}
	if len(a.Plugins) == 0 {
		fmt.Fprintf(&b, "%s names no plugin\n", a.Lock)
	}
	if a.Mirror != "" && a.OK() && len(a.Plugins) > 0 {
		fmt.Fprintf(&b, "to install from it: proctor plugin sync --mirror %s\n", prose.ShellLine([]string{a.Mirror}))
	}
	return prose.Plain(b.String())
}

// action says what was or would be done with a plugin.
func action(a install.Answer, p install.Plugin) string {
	switch {
	case a.DryRun && p.Action == install.Upgraded:
		return "would upgrade"
	}
	return string(p.Action)
}

func newPluginLockCommand(a *app) *cobra.Command {
	i := &installing{a: a}
	var platforms []string
	cmd := &cobra.Command{
		Use:   "lock --platform all|PLATFORM,...",
		Short: "Lock the hashes of more platforms",
		Long: `Add the hashes of more platforms, such as linux_amd64, from the indexes the plugins came
from; their signatures must be valid. A locked hash never changes: if the index has
another one, that is an error. Nothing is installed.

Exit codes: 0 locked · 2 usage · 3 rejected or failed`,
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
	cmd.Flags().StringSliceVar(&platforms, "platform", nil, "`PLATFORMS` such as linux_amd64, separated by commas; or all")
	return cmd
}

func newPluginMirrorCommand(a *app) *cobra.Command {
	i := &installing{a: a}
	cmd := &cobra.Command{
		Use:   "mirror DIR",
		Short: "Copy everything the lock file needs to a directory",
		Long: `Copy the archives in the lock file, for all locked platforms, with their indexes and
signatures, to a directory: for a machine without a network, or your own server. Every
hash is checked. On the other side:

  proctor plugin sync --mirror DIR

Go modules and plugins from a directory cannot be mirrored; that is an error after
everything else was copied.

Exit codes: 0 everything was copied · 2 usage · 3 rejected or failed`,
		Example: `  proctor plugin mirror vendor/plugins
  proctor plugin sync --mirror vendor/plugins`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return i.do("mirror", func(in *install.Installer, lock string) (install.Answer, error) {
				return in.Mirror(cmd.Context(), lock, args[0])
			})
		},
	}
	i.flags(cmd)
	i.offlineFlag(cmd)
	return cmd
}

func newPluginRemoveCommand(a *app) *cobra.Command {
	i := &installing{a: a}
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a plugin from the lock file and the store",
		Long: `Remove a plugin from the lock file, and its files from the store unless your own lock file
or this project's names the same version. Another project that names it restores it with
proctor plugin sync.

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

func newPluginSyncCommand(a *app) *cobra.Command {
	i := &installing{a: a}
	var req install.SyncRequest
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Install what the lock file names",
		Long: `Install everything in the lock file that the store lacks, from where it was locked, with
exactly the locked hashes. The lock file never changes. An installed plugin that does not
match is an error, and is not replaced.

With --check nothing changes; it exits with 3 if something would. With --mirror everything
comes from a copy made by proctor plugin mirror: the locked hashes decide, so a mirror
need not be trusted.

Exit codes: 0 everything is there · 2 usage · 3 something is missing, does not match or
could not be fetched`,
		Example: `  proctor plugin sync --check
  proctor plugin sync --mirror /media/usb/plugins --offline`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return i.do("sync", func(in *install.Installer, lock string) (install.Answer, error) {
				req.Lock = lock
				return in.Sync(cmd.Context(), req)
			})
		},
	}
	i.flags(cmd)
	i.offlineFlag(cmd)
	cmd.Flags().BoolVar(&req.Check, "check", false, "change nothing; exit with 3 if something would change")
	cmd.Flags().StringVar(&req.Mirror, "mirror", "", "install from a mirror (`DIR|URL`), a directory or an address")
	return cmd
}

func newPluginUpgradeCommand(a *app) *cobra.Command {
	i := &installing{a: a}
	var req install.UpgradeRequest
	cmd := &cobra.Command{
		Use:   "upgrade [NAME]",
		Short: "Install newer versions and lock them",
		Long: `Install and lock the newest version of each plugin of the lock file, or of one, within its
constraint. An index signed by another key than before, or older than what is locked, is
rejected. Old versions stay in the store for other projects.

Exit codes: 0 done, or nothing to do · 2 usage · 3 rejected or failed`,
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
	cmd.Flags().BoolVar(&req.DryRun, "dry-run", false, "only show what would change")
	return cmd
}

func newPluginVerifyCommand(a *app) *cobra.Command {
	i := &installing{a: a}
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Compare installed plugins with the lock file, byte for byte",
		Long: `Hash the installed files of each plugin of the lock file, and compare. Nothing is
executed, fetched or repaired.

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
