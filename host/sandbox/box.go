package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/runner"
)

// Config says what the commands in a box see. All paths are absolute.
type Config struct {
	// Program is what [Available] found; a box without one is open: it changes no
	// command.
	Program Program
	// Workspace, Home and Temp are writable; Inputs is readable.
	Workspace, Home, Temp, Inputs string
	// Machine is a directory for files that stand in for the system's own.
	Machine string
	// Sealed are read-only files and directories in Workspace.
	Sealed []string
	// Links are directories that appear in Workspace, read-only.
	Links []Link
	// Readable are paths that appear in place, read-only, if they exist.
	Readable []string
	// Hidden are directories, such as the user's home, that no link and nothing
	// readable may expose as a whole.
	Hidden []string
}

// Link makes a directory appear at another path.
type Link struct{ Path, Target string }

// Box is what commands run in. A nil Box changes nothing.
type Box struct {
	cfg  Config
	args []string // of bwrap, up to the command's own
}

// New makes a box, and the places in Workspace where its links appear.
func New(cfg Config) (*Box, error) {
	shown := slices.Clone(cfg.Readable)
	for _, l := range cfg.Links {
		shown = append(shown, l.Target)
	}
	for _, p := range shown {
		for _, hidden := range cfg.Hidden {
			if hidden != "" && (holdsPath(p, hidden) || holdsPath(resolvePath(p), resolvePath(hidden))) {
				return nil, fmt.Errorf("the sandbox would show %s, which holds %s; a plugin must name what it needs more closely", p, hidden)
			}
		}
	}
	if err := place(cfg); err != nil {
		return nil, err
	}
	b := &Box{cfg: cfg}
	if cfg.Program.bwrap == "" {
		return b, nil
	}
	if err := writeMachine(cfg.Machine); err != nil {
		return nil, fmt.Errorf("prepare the sandbox: %w", err)
	}
	b.args = slices.Concat(cfg.Program.args(), b.mounts())
	return b, nil
}

// Temp returns where commands may write temporary files; empty means anywhere.
func (b *Box) Temp() string {
	if b == nil {
		return ""
	}
	return b.cfg.Temp
}

// Scratch returns where the files for a command must be for it to see them; empty means
// anywhere.
func (b *Box) Scratch() string {
	if b == nil {
		return ""
	}
	return b.cfg.Inputs
}

// Wrap turns a command into one that runs in the box. The environment stays: the caller
// builds it from scratch, see [Environ].
func (b *Box) Wrap(cfg runner.Config) runner.Config {
	if b == nil || b.cfg.Program.bwrap == "" || len(cfg.Argv) == 0 {
		return cfg
	}
	argv := slices.Clone(cfg.Argv)
	argv[0] = resolvePath(argv[0])
	var tool []string
	if !b.visible(argv[0]) {
		// The file alone: its neighbors may be anything.
		tool = []string{"--ro-bind", argv[0], argv[0]}
	}
	dir := cfg.Dir
	if dir == "" {
		dir = b.cfg.Workspace
	}
	// A writable root could fill the memory.
	last := []string{"--remount-ro", "/", "--chdir", dir, "--"}
	cfg.Argv = slices.Concat(b.cfg.Program.before(), b.args, tool, last, b.cfg.Program.after(), argv)
	cfg.Dir = "/" // the box enters the directory itself
	return cfg
}

// visible reports whether a program can be seen in the box.
func (b *Box) visible(path string) bool {
	for _, dir := range slices.Concat(systemDirs(), b.cfg.Readable, []string{b.cfg.Workspace}) {
		if holdsPath(dir, path) {
			return true
		}
	}
	return false
}

// mounts returns the arguments that show the files of the upload.
func (b *Box) mounts() []string {
	var args []string
	for _, path := range b.cfg.Readable {
		args = append(args, "--ro-bind-try", path, path)
	}
	args = append(args, "--ro-bind", b.cfg.Inputs, b.cfg.Inputs)
	for _, dir := range []string{b.cfg.Home, b.cfg.Temp, b.cfg.Workspace} {
		args = append(args, "--bind", dir, dir)
	}
	pinned := map[string]bool{}
	for _, l := range b.cfg.Links {
		// A directory with a mount in it can be renamed, and replaced by a link, unless
		// it is a mount itself.
		for _, dir := range between(b.cfg.Workspace, l.Path) {
			if !pinned[dir] {
				pinned[dir] = true
				args = append(args, "--bind", dir, dir)
			}
		}
		args = append(args, "--ro-bind", l.Target, l.Path)
	}
	for _, path := range b.cfg.Sealed {
		args = append(args, "--ro-bind", path, path)
	}
	for _, name := range machineFiles {
		args = append(args, "--ro-bind", filepath.Join(b.cfg.Machine, name), "/etc/"+name)
	}
	return args
}

// between returns the directories below root and above path, outermost first.
func between(root, path string) []string {
	var dirs []string
	for dir := filepath.Dir(path); dir != root && holdsPath(root, dir); dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs)
	return dirs
}

// holdsPath reports whether path is dir or below it.
func holdsPath(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// resolvePath resolves the symbolic links in a path, or returns it unchanged if that
// fails.
func resolvePath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// machineFiles are files of /etc that programs need: without them localhost has no
// address and the user no name.
var machineFiles = []string{"hosts", "passwd", "group"}

func writeMachine(dir string) error {
	texts := map[string]string{
		"hosts":  "127.0.0.1 localhost\n::1 localhost\n",
		"passwd": fmt.Sprintf("user:x:%d:%d::/:/bin/sh\n", userID, userID),
		"group":  fmt.Sprintf("user:x:%d:\n", userID),
	}
	for _, name := range machineFiles {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(texts[name]), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// userID is the tests' user in the box; to the machine it is the user who runs proctor.
const userID = 1000

// place makes the links visible: as mount points or, in an open box, as symbolic links.
func place(cfg Config) error {
	for _, l := range cfg.Links {
		if cfg.Program.bwrap != "" {
			if err := os.MkdirAll(l.Path, 0o755); err != nil {
				return fmt.Errorf("prepare the sandbox: %w", err)
			}
			continue
		}
		err := os.MkdirAll(filepath.Dir(l.Path), 0o755)
		if err == nil {
			err = os.Symlink(l.Target, l.Path)
		}
		if err != nil {
			return fmt.Errorf("make the dependencies visible: %w", err)
		}
	}
	return nil
}

// Program puts a command into a box. The zero Program does not.
type Program struct {
	bwrap   string
	options []string // that this version and this machine accept
}

// UnavailableError says why there is no sandbox, and how to get one.
type UnavailableError struct {
	Why, Fix string
}

func (e *UnavailableError) Error() string {
	return "there is no sandbox: " + e.Why + "; " + e.Fix
}

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
