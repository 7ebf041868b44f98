package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/install"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// installing is one command that changes or compares installed plugins.
type installing struct {
	a *app
	// The flags that each of them takes.
	asJSON, project, user bool
	offline               bool
}

// flags adds those that every one of these commands takes.
func (i *installing) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&i.project, "project", false, "the project's proctor.lock is meant")
	flags.BoolVar(&i.user, "user", false, "your own plugins.lock is meant, not the project's")
	flags.BoolVar(&i.asJSON, "json", false, "print an object")
}

// offlineFlag is for the commands that may use a network.
func (i *installing) offlineFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&i.offline, "offline", false, "use no network: fail at once where one would be needed")
}

// do carries one command out and prints what it did. With --json a refusal is an
// object too, also one before anything was looked at.
func (i *installing) do(command string, work func(in *install.Installer, lock string) (install.Answer, error)) error {
	var answer install.Answer
	lock, err := i.lockFile(command == "install")
	if err == nil {
		answer, err = work(install.New(i.config(lock)), lock)
	}
	if install.Misuse(err) {
		err = &flagError{err}
	}
	if err != nil {
		if i.asJSON {
			return errors.Join(i.a.printJSON(install.Refused(command, lock, err)), err)
		}
		return err
	}
	if !answer.OK() {
		i.a.code = exitTool
	}
	if i.asJSON {
		return i.a.printJSON(answer)
	}
	fmt.Fprint(i.a.env.Stdout, prose.Plain(answerText(answer)))
	return nil
}

// lockFile is the lock file that is meant: the project's where there is one, else the
// user's.
func (i *installing) lockFile(create bool) (string, error) {
	if i.project && i.user {
		return "", &flagError{errors.New("--project and --user exclude each other")}
	}
	own := i.a.env.userLock()
	if i.user {
		return own, nil
	}
	dir := i.a.where().Dir
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return "", &flagError{fmt.Errorf("%s is no directory; give the project's with --workspace", dir)}
	}
	found, err := install.FindLock(dir)
	switch {
	case err != nil || found != "":
		return found, err
	case i.project && create:
		return install.NewLock(dir)
	case i.project:
		return "", fmt.Errorf("there is no proctor.lock here; make one with `proctor plugin install SPEC --project`")
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

// projectLock is the project's lock file, whichever is meant; empty where none is
// found.
func (i *installing) projectLock() string {
	found, err := install.FindLock(i.a.where().Dir)
	if err != nil {
		return ""
	}
	return found
}

// events tells of each step, a line each, on standard error. What a user must know is
// said also with --quiet.
func (i *installing) events() install.Events {
	say := func(format string, args ...any) {
		fmt.Fprintln(i.a.env.Stderr, "proctor: "+prose.Line(fmt.Sprintf(format, args...)))
	}
	return install.Events{
		Rebuilt: func(name, version, path string) {
			say("%s %s: what is in %s is another binary than is built now, and is replaced; another version of Go would explain that", name, version, path)
		},
		Resolved: func(name, version, source string) { i.a.hint("%s %s of %s", name, version, source) },
		Waiting: func(name, version string) {
			i.a.hint("%s %s: another proctor is at work on it; waiting", name, version)
		},
		Fetching: func(name, version, address string) {
			i.a.hint("%s %s: fetching from %s", name, version, address)
		},
		Pinned: func(index, key string) {
			say("%s is signed by the key %s, which is pinned for it from now on; compare it with what its publisher says elsewhere", index, key)
		},
		Unsigned: func(index string) {
			say("%s is not signed: nobody vouches for what it has. The lock file keeps it from changing after this", index)
		},
		Unchecked: func(index string) {
			say("%s is signed, and by whom it must be is not known here: only the hashes of the lock file vouch for what comes from it", index)
		},
		Unvouched: func(source string) {
			say("%s is not compared with Go's checksum database, which GOSUMDB, GONOSUMDB or GOPRIVATE turn off. The lock file keeps it from changing after this", source)
		},
		Installed: func(name, version, path string, already bool) {
			if !already {
				i.a.hint("%s %s: installed", name, version)
			}
		},
		Replacing: func(name, version, path string) {
			say("%s %s: what is in %s changed since it was installed, and is replaced", name, version, path)
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
			// Whose code it is was somebody else's choice.
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
			b.WriteString("its source is a path of this machine: others cannot sync from it. Publish an index for them, or give them a mirror (docs/plugins.md)\n")
		}
	}
	if len(a.Plugins) == 0 {
		fmt.Fprintf(&b, "%s names no plugin\n", a.Lock)
	}
	if a.Mirror != "" && a.OK() && len(a.Plugins) > 0 {
		fmt.Fprintf(&b, "to install from it: proctor plugin sync --mirror %s\n", prose.ShellLine([]string{a.Mirror}))
	}
	return b.String()
}

// action says what was done with a plugin, or what would be.
func action(a install.Answer, p install.Plugin) string {
	switch {
	case a.DryRun && p.Action == install.Upgraded:
		return "would upgrade"
	}
	return string(p.Action)
}
