package cli

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/sdk"
)

// overrideVariable followed by a plugin's name in upper case, with _ for -, is the
// variable that names its binary.
const overrideVariable = "PROCTOR_PLUGIN_"

// overrides returns the plugin binaries that the user named, by name: with --plugin, or
// by variables, which the flag overrides.
func (a *app) overrides() (map[string]string, error) {
	named := map[string]string{}
	for _, setting := range a.env.Environ {
		variable, path, _ := strings.Cut(setting, "=")
		name, ok := strings.CutPrefix(variable, overrideVariable)
		if !ok || name == "" || path == "" || variable == sdk.EnvLogLevel {
			continue
		}
		if !filepath.IsAbs(path) {
			// A relative path could name a file of a cloned repository.
			return nil, &flags.Error{Err: fmt.Errorf("%s=%q: give an absolute path", variable, path)}
		}
		named[strings.ReplaceAll(strings.ToLower(name), "_", "-")] = path
	}
	for _, p := range a.plugins {
		name, path, ok := strings.Cut(p, "=")
		abs, err := filepath.Abs(path)
		if !ok || path == "" || err != nil {
			return nil, &flags.Error{Err: fmt.Errorf("--plugin %q: give NAME=PATH", p)}
		}
		named[name] = abs
	}
	return named, nil
}

// The user's folders for proctor, according to the XDG base directory specification and
// the platforms; empty if there is none.

// stateHome is for logs, and for records of workspaces that are not writable.
func (e environment) stateHome() string {
	return e.userDir("XDG_STATE_HOME", filepath.Join(".local", "state"))
}

// cacheHome is for what can be recomputed.
func (e environment) cacheHome() string {
	return e.userDir("XDG_CACHE_HOME", ".cache")
}

// pluginStore is where plugins are installed.
func (e environment) pluginStore() string {
	return below(e.userDir("XDG_DATA_HOME", filepath.Join(".local", "share")), "plugins")
}

// userLock returns the lock file of plugins for everywhere without a project's.
func (e environment) userLock() string {
	return below(e.userDir("XDG_CONFIG_HOME", ".config"), "plugins.lock")
}

// userConfig returns the user's own configuration.
func (e environment) userConfig() string {
	return below(e.userDir("XDG_CONFIG_HOME", ".config"), "config.toml")
}

// pinnedKeys returns where the keys of plugin indexes are kept.
func (e environment) pinnedKeys() string {
	return below(e.userDir("XDG_CONFIG_HOME", ".config"), "keys.json")
}

// userDir returns proctor's folder below the one that a variable names, or else below
// usual in the home directory.
func (e environment) userDir(variable, usual string) string {
	if dir := e.get(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, "proctor")
	}
	home := e.get("HOME")
	switch {
	case runtime.GOOS == "windows":
		return below(e.get("LocalAppData"), "proctor")
	case !filepath.IsAbs(home):
		return ""
	case runtime.GOOS == "darwin":
		return filepath.Join(home, "Library", "Application Support", "proctor")
	}
	return filepath.Join(home, usual, "proctor")
}

// below joins a name to a directory, if there is one.
func below(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}
