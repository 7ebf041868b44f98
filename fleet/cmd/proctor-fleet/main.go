// Command proctor-fleet is proctor with runs on many machines, handed out by Temporal. It
// is a separate module so that proctor does not depend on Temporal.
package main

import "github.com/proctorhq/proctor/fleet/internal/front"

func main() { front.Main() }
