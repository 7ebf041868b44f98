package main

import (
	"runtime"
	"runtime/debug"

	"github.com/proctorhq/proctor/plugins/forge"
	"github.com/proctorhq/proctor/sdk/server"
)

func main() {
	// As many as forge itself takes; Serve leaves this process one.
	threads := runtime.GOMAXPROCS(0)
	detector := forge.New(forge.Config{Version: version(), Threads: threads})
	server.Serve(server.Config{Description: detector.Description(), Detector: detector})
}

// version returns the version of the module that the binary was built from.
func version() string {
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		return build.Main.Version
	}
	return "(devel)"
}
