// Command proctor-plugin-cargo teaches proctor Rust's cargo test.
package main

import (
	cargotest "example.com/proctor-plugin-cargo"
	"github.com/proctorhq/proctor/sdk/server"
)

func main() {
	server.Serve(server.Config{Description: cargotest.Description(), Detector: cargotest.New()})
}
