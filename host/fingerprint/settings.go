package fingerprint

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/proctorhq/proctor/host/git"
	"github.com/proctorhq/proctor/host/workspace"
)

// read asks git for its configuration.
func (s *settings) read(ctx context.Context, g git.Git, env []string) error {
	out, err := g.Run(ctx, "config", "-z", "--get-regexp", `^core\.(filemode|symlinks|autocrlf|attributesfile)$`)
	if err != nil && !git.Exited(err, git.None) { // none of them is set
		return err
	}
	home := workspace.Getenv(env, "HOME")
	s.attributes = filepath.Join(workspace.Getenv(env, "XDG_CONFIG_HOME"), "git", "attributes")
	if workspace.Getenv(env, "XDG_CONFIG_HOME") == "" {
		s.attributes = filepath.Join(home, ".config", "git", "attributes")
	}
	for setting := range strings.SplitSeq(string(out), "\x00") {
		name, value, set := strings.Cut(setting, "\n")
		yes := !set || isTrue(value) // a name without a value is true
		switch name {
		case "core.filemode":
			s.noModes = !yes || !hasInodes
		case "core.symlinks":
			s.noLinks = !yes
		case "core.autocrlf":
			s.convert = yes || strings.EqualFold(value, "input")
		case "core.attributesfile":
			if rest, ok := strings.CutPrefix(value, "~/"); ok {
				value = filepath.Join(home, rest)
			}
			s.attributes = value
		}
	}
	return nil
}

// isTrue parses a boolean as git does.
func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "", "false", "no", "off", "0":
		return false
	}
	return true
}

// systemAttributes returns the attributes file for all users of the machine. Its place
// is compiled into git: beside the directory of its program, or in /etc.
func systemAttributes(program string) []string {
	if runtime.GOOS == "windows" {
		return []string{filepath.Join(filepath.Dir(filepath.Dir(program)), "etc", "gitattributes")}
	}
	return []string{"/etc/gitattributes", filepath.Join(filepath.Dir(filepath.Dir(program)), "etc", "gitattributes")}
}
