package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// overrideVariable and a plugin's name in capitals, with _ for -, is the variable
// that names its binary.
const overrideVariable = "PROCTOR_PLUGIN_"

// overrides are the plugin binaries that the user named, by name: with --plugin, or
// by variables, which a flag beats.
func (a *app) overrides() (map[string]string, error) {
	named := map[string]string{}
	for _, setting := range a.env.Environ {
		variable, path, _ := strings.Cut(setting, "=")
		name, ok := strings.CutPrefix(variable, overrideVariable)
		if !ok || name == "" || path == "" || variable == sdk.EnvLogLevel {
			continue
		}
		if !filepath.IsAbs(path) {
			// It would mean another file in each directory, a cloned one's too.
			return nil, &flagError{fmt.Errorf("%s=%q: give an absolute path", variable, path)}
		}
		named[strings.ReplaceAll(strings.ToLower(name), "_", "-")] = path
	}
	for _, p := range a.plugins {
		name, path, ok := strings.Cut(p, "=")
		abs, err := filepath.Abs(path)
		if !ok || path == "" || err != nil {
			return nil, &flagError{fmt.Errorf("--plugin %q: give NAME=PATH", p)}
		}
		named[name] = abs
	}
	return named, nil
}
