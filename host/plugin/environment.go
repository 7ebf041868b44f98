package plugin

import (
	"runtime"
	"slices"
	"strings"
)

// Variables the SDK and go-plugin read.
const (
	lifelineVariable  = "PROCTOR_LIFELINE=stdin"
	socketDirVariable = "PLUGIN_UNIX_SOCKET_DIR="
)

// inherited are the variables of proctor's environment that a plugin gets. It
// starts no process, so it needs no PATH; it has no business with tokens and
// proxies; what it must know of the tests' environment arrives in
// [sdk.Workspace.Env]. What is left is who and where the user is, and the
// language of messages.
var inherited = []string{
	"HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ",
	// Coverage and race detector of plugin binaries under test; unset outside of
	// tests.
	"GOCOVERDIR", "GORACE",
}

// inheritedWindows are variables without which Windows programs cannot open
// sockets, find their home or draw random numbers.
var inheritedWindows = []string{
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "USERPROFILE", "HOMEDRIVE", "HOMEPATH",
	"LOCALAPPDATA", "APPDATA", "PROGRAMDATA", "NUMBER_OF_PROCESSORS",
}

// environment composes a plugin's environment out of the host's, the variables
// of go-plugin and the private directory.
func environment(host, handshake []string, dir *runDir) []string {
	var env []string
	for _, pair := range host {
		name, _, ok := strings.Cut(pair, "=")
		if ok && isInherited(name) {
			env = append(env, pair)
		}
	}
	for _, pair := range handshake {
		if !strings.HasPrefix(pair, socketDirVariable) {
			env = append(env, pair)
		}
	}
	env = append(env, lifelineVariable, socketDirVariable+dir.sockets, "TMPDIR="+dir.temp)
	if runtime.GOOS == "windows" {
		env = append(env, "TEMP="+dir.temp, "TMP="+dir.temp)
	}
	return env
}

func isInherited(name string) bool {
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name)
		if slices.Contains(inheritedWindows, name) {
			return true
		}
	}
	return slices.Contains(inherited, name) || strings.HasPrefix(name, "LC_")
}
