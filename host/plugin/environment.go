package plugin

import (
	"runtime"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// Variables the SDK and go-plugin read.
const (
	lifelineVariable  = "PROCTOR_LIFELINE=stdin"
	socketDirVariable = "PLUGIN_UNIX_SOCKET_DIR="
)

// environment composes a plugin's environment from the host's, the variables of
// go-plugin and the private directory.
func environment(host, handshake []string, dir *runDir) []string {
	env := sdk.PluginEnvironment(host)
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
