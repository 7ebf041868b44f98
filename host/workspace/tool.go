package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// FindTool finds a program in the directories in PATH, as in env, then in dirs, where
// "~/" is the home directory, then in the usual installation directories: a program
// started from a desktop often has a short PATH. It skips relative entries of PATH,
// which would find programs in an untrusted workspace.
func FindTool(name string, env []string, dirs ...string) (string, error) {
	if filepath.IsAbs(name) {
		if executable(name) {
			return name, nil
		}
		return "", errors.New(name + " is not a program")
	}
	if filepath.Base(name) != name {
		return "", fmt.Errorf("program %q must be a plain name or an absolute path", name)
	}
	var searched []string
	for _, dir := range slices.Concat(filepath.SplitList(Getenv(env, "PATH")), inHome(env, dirs), usualDirs(env)) {
		if !filepath.IsAbs(dir) || slices.Contains(searched, dir) {
			continue
		}
		searched = append(searched, dir)
		for _, suffix := range suffixes(env) {
			if path := filepath.Join(dir, name+suffix); executable(path) {
				return path, nil
			}
		}
	}
	return "", errors.New(name + " was not found; install it, or add its directory to the PATH with which proctor is started")
}

// usualDirs returns where systems and package managers install programs. Version
// switchers come last, as they must find the real program first.
func usualDirs(env []string) []string {
	if runtime.GOOS == "windows" {
		return nil // programs started from a desktop have the full PATH there
	}
	return inHome(env, []string{
		"/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", "/usr/local/bin", "/usr/bin", "/bin", "/opt/local/bin", "/snap/bin",
		"~/.nix-profile/bin", "/run/current-system/sw/bin", "~/.local/bin",
		"~/.local/share/mise/shims", "~/.asdf/shims",
	})
}

// inHome replaces "~" by the home directory, or drops such directories if there is
// none.
func inHome(env, dirs []string) []string {
	home := Getenv(env, "HOME")
	if runtime.GOOS == "windows" {
		home = Getenv(env, "USERPROFILE")
	}
	var found []string
	for _, dir := range dirs {
		rest, ok := strings.CutPrefix(dir, "~/")
		switch {
		case !ok:
			found = append(found, dir)
		case filepath.IsAbs(home):
			found = append(found, filepath.Join(home, filepath.FromSlash(rest)))
		}
	}
	return found
}

func suffixes(env []string) []string {
	if runtime.GOOS != "windows" {
		return []string{""}
	}
	return append([]string{""}, strings.Split(strings.ToLower(Getenv(env, "PATHEXT")), ";")...)
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && !st.IsDir() && (runtime.GOOS == "windows" || st.Mode()&0o111 != 0)
}

// Getenv looks up a variable in an environment; the last entry counts.
func Getenv(env []string, key string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(env[i], "="); ok && sameName(k, key) {
			return v
		}
	}
	return ""
}

// Setenv returns an environment with a variable set exactly once: of two entries, most
// programs use the first.
func Setenv(env []string, key, value string) []string {
	same := func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return sameName(name, key)
	}
	return append(slices.DeleteFunc(slices.Clone(env), same), key+"="+value)
}

// Unsetenv removes variables by name. A name that ends in "*" matches a prefix,
// ignoring case; a name after "!" is kept regardless.
func Unsetenv(env, names []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		key, _, _ := strings.Cut(entry, "=")
		removed := false
		for _, name := range names {
			kept, isKept := strings.CutPrefix(name, "!")
			prefix, isPrefix := strings.CutSuffix(name, "*")
			switch {
			case isKept && sameName(key, kept):
				return false
			case isPrefix:
				removed = removed || len(key) >= len(prefix) && strings.EqualFold(key[:len(prefix)], prefix)
			default:
				removed = removed || sameName(key, name)
			}
		}
		return removed
	})
}

// sameName reports whether two names denote one variable: on Windows, Path and PATH do.
func sameName(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

// Pick returns the named variables that are set.
func Pick(env, names []string) map[string]string {
	picked := map[string]string{}
	for _, kv := range env {
		k, v, ok := strings.Cut(kv, "=")
		for _, name := range names {
			if ok && sameName(k, name) {
				picked[name] = v
			}
		}
	}
	return picked
}
