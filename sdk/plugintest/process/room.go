package process

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// Room holds the private directories of a plugin under check.
type Room struct {
	base string
	// Home, Work and Temp are its home, working and temporary directories, Sockets is
	// where it listens, and Workspace the place for a copy of a project.
	Home, Work, Temp, Sockets, Workspace string
}

// NewRoom creates the directories. Their names are short, because some systems limit
// the path of a socket to 104 bytes.
func NewRoom() (*Room, error) {
	base, err := os.MkdirTemp("", "kit")
	if err == nil {
		base, err = filepath.EvalSymlinks(base)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot make a directory for the plugin: %w", err)
	}
	r := &Room{base: base}
	for _, d := range []struct {
		path *string
		name string
	}{{&r.Home, "home"}, {&r.Work, "work"}, {&r.Temp, "tmp"}, {&r.Sockets, "s"}, {&r.Workspace, "ws"}} {
		*d.path = filepath.Join(base, d.name)
		if err := os.Mkdir(*d.path, 0o700); err != nil {
			r.Close()
			return nil, fmt.Errorf("cannot make a directory for the plugin: %w", err)
		}
	}
	return r, nil
}

// Close removes the directories and everything in them.
func (r *Room) Close() { _ = os.RemoveAll(r.base) }

// Environment returns what a host gives a plugin, with the lifeline and another home.
func (r *Room) Environment(versions string) []string {
	env := slices.DeleteFunc(sdk.PluginEnvironment(os.Environ()), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(ownVariables, strings.ToUpper(name))
	})
	env = append(env, r.protocolVariables(versions)...)
	return append(env, "HOME="+r.Home, "USERPROFILE="+r.Home, sdk.EnvLogLevel+"=info", sdk.EnvLifeline+"="+sdk.LifelineStdin)
}

// ownVariables are the variables that replace the user's.
var ownVariables = []string{"HOME", "USERPROFILE", "HOMEPATH", "HOMEDRIVE"}

// neededVariables are variables without which nothing starts: PATH, by which a script
// finds its interpreter, and what Windows programs need to open sockets.
var neededVariables = []string{"PATH", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "LOCALAPPDATA", "APPDATA", "PROGRAMDATA", "NUMBER_OF_PROCESSORS"}

// SmallEnvironment returns the least with which a plugin must work.
func (r *Room) SmallEnvironment(versions string) []string {
	env := slices.DeleteFunc(sdk.PluginEnvironment(os.Environ()), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return !slices.Contains(neededVariables, strings.ToUpper(name))
	})
	return append(env, r.protocolVariables(versions)...)
}

// protocolVariables returns the variables by which a plugin recognizes its host.
func (r *Room) protocolVariables(versions string) []string {
	env := []string{
		sdk.EnvCookie + "=" + sdk.Cookie, "PLUGIN_PROTOCOL_VERSIONS=" + versions,
		"PLUGIN_UNIX_SOCKET_DIR=" + r.Sockets, "TMPDIR=" + r.Temp,
	}
	if runtime.GOOS == "windows" {
		env = append(env, "PLUGIN_MIN_PORT=0", "PLUGIN_MAX_PORT=1", "TEMP="+r.Temp, "TMP="+r.Temp)
	}
	return env
}
