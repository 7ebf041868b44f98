package mcpconfig

import (
	"os"
	"path/filepath"
	"runtime"
)

// Where is the part of the machine that clients use for files.
type Where struct {
	// Project is the directory that the user opens in a client, Home the user's own.
	// Both are absolute.
	Project, Home string
	// Getenv looks up an environment variable.
	Getenv func(string) string
}

func (w Where) codexHome() string {
	if dir := w.Getenv("CODEX_HOME"); dir != "" {
		return dir
	}
	return filepath.Join(w.Home, ".codex")
}

// configHome returns the directory for settings according to the XDG base directory
// specification.
func (w Where) configHome() string {
	if dir := w.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(w.Home, ".config")
}

func (w Where) zedHome() string {
	switch runtime.GOOS {
	case "windows":
		if dir := w.Getenv("APPDATA"); dir != "" {
			return filepath.Join(dir, "Zed")
		}
		return filepath.Join(w.Home, "AppData", "Roaming", "Zed")
	case "darwin": // Zed looks at XDG_CONFIG_HOME on Linux only.
		return filepath.Join(w.Home, ".config", "zed")
	}
	return filepath.Join(w.configHome(), "zed")
}

func inProject(path ...string) func(Where) []string {
	return func(w Where) []string { return []string{filepath.Join(append([]string{w.Project}, path...)...)} }
}

func inHome(path ...string) func(Where) []string {
	return func(w Where) []string { return []string{filepath.Join(append([]string{w.Home}, path...)...)} }
}

// Program returns how the user's shell reaches an executable: its path according to
// PATH, and whether its bare name suffices. A path in PATH is preferred to the file
// that it links to, which an update may move.
func Program(executable, path string) (found string, byName bool) {
	self, err := os.Stat(executable)
	if err != nil {
		return executable, false
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // what it finds depends on the working directory
		}
		candidate := filepath.Join(dir, programFile)
		st, err := os.Stat(candidate)
		if err != nil || st.IsDir() || runtime.GOOS != "windows" && st.Mode()&0o111 == 0 {
			continue
		}
		if os.SameFile(self, st) {
			return candidate, true
		}
		return executable, false // another one comes first
	}
	return executable, false
}
