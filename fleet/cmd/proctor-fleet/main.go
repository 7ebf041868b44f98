// Command proctor-fleet is proctor, whose runs go to many machines by way of Temporal. It
// is a module of its own, so that proctor does not carry Temporal.
package main

import "github.com/proctorhq/proctor/fleet/internal/front"

func main() { front.Main() }
