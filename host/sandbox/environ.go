package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Environ makes the environment of the commands in a box from scratch: PATH, a home, a
// directory for temporary files, and a neutral language. toolDirs are the directories
// of the tools; the rest of the user's PATH is dropped. Windows programs need to know
// where Windows is; base supplies that.
func Environ(base, toolDirs []string, home, temp string) []string {
	path := slices.Clone(toolDirs)
	for _, dir := range systemPath() {
		if !slices.Contains(path, dir) {
			path = append(path, dir)
		}
	}
	env := []string{
		"PATH=" + strings.Join(path, string(filepath.ListSeparator)),
		"HOME=" + home, "TMPDIR=" + temp, "LANG=C.UTF-8", "TZ=UTC", "NO_COLOR=1",
	}
	if os.PathSeparator == '\\' {
		env = append(env, "USERPROFILE="+home, "TEMP="+temp, "TMP="+temp,
			"LocalAppData="+filepath.Join(home, "AppData", "Local"), "AppData="+filepath.Join(home, "AppData", "Roaming"))
		for _, setting := range base {
			switch name, _, _ := strings.Cut(setting, "="); strings.ToUpper(name) {
			case "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT":
				env = append(env, setting)
			}
		}
	}
	return env
}

func systemPath() []string {
	if os.PathSeparator == '\\' {
		return []string{filepath.Join(os.Getenv("SystemRoot"), "System32")}
	}
	return []string{"/usr/local/bin", "/usr/bin", "/bin"}
}
