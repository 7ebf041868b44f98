package sandbox

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/runner"
	"github.com/proctorhq/proctor/host/workspace"
)

// probeLimit bounds the probe, which takes some milliseconds.
const probeLimit = 20 * time.Second

// Available checks whether commands can be boxed here by boxing one that does nothing.
// env is the environment whose PATH is searched for bubblewrap. Unless ctx is done, the
// error is an [*UnavailableError].
func Available(ctx context.Context, env []string) (Program, error) {
	path, err := workspace.FindTool("bwrap", env)
	if err != nil || !workspace.OnPath(env, path) {
		return Program{}, &UnavailableError{
			Why: "bubblewrap (the program bwrap) was not found",
			Fix: "install it, for example with `apt install bubblewrap` or `dnf install bubblewrap`",
		}
	}
	// Versions before 0.8, and set-user-id ones, cannot forbid further user namespaces.
	var said string
	for _, options := range [][]string{{"--disable-userns"}, nil} {
		p := Program{bwrap: path, options: options}
		if said, err = p.try(ctx); err == nil {
			return p, nil
		}
		if ctx.Err() != nil {
			return Program{}, ctx.Err()
		}
	}
	return Program{}, unavailable(path, said, err)
}

// try boxes a command that does nothing. said is its output.
func (p Program) try(ctx context.Context) (said string, err error) {
	cfg := runner.Config{
		Argv: slices.Concat(p.before(), p.args(), []string{"--remount-ro", "/", "--chdir", "/", "--"}, p.after(), []string{shell, "-c", ":"}),
		Env:  Environ(nil, nil, "/", "/"), Dir: "/", Deadline: probeLimit,
	}
	result, err := runner.Run(ctx, cfg)
	if err == nil && (result.Exit.Code != 0 || result.Exit.Signal != "") {
		err = fmt.Errorf("exit code %d", result.Exit.Code)
	}
	return strings.TrimSpace(result.Stderr.Tail(maxSaid)), err
}

// maxSaid is how much of bubblewrap's message an error repeats.
const maxSaid = 400

func unavailable(path, said string, err error) error {
	if said == "" {
		said = err.Error()
	}
	e := &UnavailableError{Why: path + " does not work here: " + said}
	switch {
	case strings.Contains(said, "default-signal"):
		e.Fix = "install env of GNU coreutils 8.31 or newer"
	case strings.Contains(said, "--size"):
		e.Fix = "install bubblewrap 0.6 or newer"
	case strings.Contains(said, "/proc"):
		e.Fix = "in a container, start it so that it may mount /proc (for Docker: --security-opt systempaths=unconfined)"
	default:
		e.Fix = "allow user namespaces: the setting kernel.unprivileged_userns_clone, on Ubuntu the AppArmor profile of bwrap " +
			"(kernel.apparmor_restrict_unprivileged_userns), in a container its seccomp profile"
	}
	return e
}

const (
	shell   = "/bin/sh"
	envTool = "/usr/bin/env"

	// outerScript sets limits that a box inherits and every process has for itself,
	// unless lower ones apply already. Files are counted in blocks of 512 bytes, data
	// in KiB. And only the command may act on signals to the whole group: bubblewrap
	// would end, and the command with it, before it could report what hung.
	outerScript = `lower() { (ulimit "$@") 2>/dev/null && ulimit "$@"; }
lower -c 0
lower -f 524288
lower -d 4194304
trap '' INT QUIT
exec "$@"`

	// innerScript limits processes and threads. It runs inside, as the kernel can count
	// them for each box (Linux 5.14); dash and bash use different letters for it. No
	// limit holds for the superuser.
	innerScript = `(ulimit -p 4096) 2>/dev/null && ulimit -p 4096 || { (ulimit -u 4096) 2>/dev/null && ulimit -u 4096; }
exec "$@"`
)

// before returns what precedes the arguments of bubblewrap.
func (p Program) before() []string { return []string{shell, "-c", outerScript, "sh", p.bwrap} }

// after returns what precedes the command in the box: it restores the signals that were
// kept from bubblewrap.
func (p Program) after() []string {
	return []string{envTool, "--default-signal=INT,QUIT", shell, "-c", innerScript, "sh"}
}

// args returns the arguments of bubblewrap that do not depend on an upload.
func (p Program) args() []string {
	args := []string{
		"--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--cap-drop", "ALL",
		"--uid", fmt.Sprint(userID), "--gid", fmt.Sprint(userID), "--hostname", "sandbox",
	}
	args = append(args, p.options...)
	for _, dir := range systemDirs() {
		if target, err := os.Readlink(dir); err == nil {
			args = append(args, "--symlink", target, dir)
			continue
		}
		args = append(args, "--ro-bind-try", dir, dir)
	}
	for _, path := range []string{"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime"} {
		args = append(args, "--ro-bind-try", path, path)
	}
	// No /dev/tty: a process without a terminal cannot type into it. For the same reason
	// the command may stay in its session, and so in the group that is signalled
	// when time is up.
	//
	// /proc is read-only: where proctor is run by the superuser, the settings of
	// the kernel in /proc/sys would be the box's to write, without any capability.
	args = append(args, "--proc", "/proc", "--remount-ro", "/proc", "--tmpfs", "/dev")
	for _, name := range []string{"null", "zero", "full", "random", "urandom"} {
		args = append(args, "--dev-bind", "/dev/"+name, "/dev/"+name)
	}
	for fd, name := range []string{"stdin", "stdout", "stderr"} {
		args = append(args, "--symlink", fmt.Sprintf("/proc/self/fd/%d", fd), "/dev/"+name)
	}
	args = append(args, "--symlink", "/proc/self/fd", "/dev/fd", "--remount-ro", "/dev")
	// For programs that ignore TMPDIR: in memory, so it is small.
	return append(args, "--size", fmt.Sprint(64<<20), "--perms", "1777", "--tmpfs", "/tmp")
}

// systemDirs returns the directories of the system's programs and libraries.
func systemDirs() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"}
}
