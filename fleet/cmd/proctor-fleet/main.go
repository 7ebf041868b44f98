package main

import "github.com/proctorhq/proctor/fleet/internal/front"

func main() { front.Main() }
