package main

import (
	"os"
	"runtime/debug"

	gotest "github.com/proctorhq/proctor/plugins/go"
	"github.com/proctorhq/proctor/sdk/server"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == gotest.ExecCommand {
		os.Exit(gotest.Exec(os.Args[2:]))
	}
	// Without its own path, reruns need more commands but stay exact.
	executable, _ := os.Executable()
	detector := gotest.New(gotest.Config{Version: version(), Executable: executable})
	server.Serve(server.Config{Description: detector.Description(), Detector: detector})
}

// version returns the version of the module that the binary was built from.
func version() string {
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		return build.Main.Version
	}
	return "(devel)"
}
