package main

import (
	"runtime/debug"

	"github.com/proctorhq/proctor/plugins/forge"
	"github.com/proctorhq/proctor/sdk/server"
)

func main() {
	detector := forge.New(forge.Config{Version: version()})
	server.Serve(server.Config{Description: detector.Description(), Detector: detector})
}

// version returns the version of the module that the binary was built from.
func version() string {
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		return build.Main.Version
	}
	return "(devel)"
}
