package main

import "github.com/proctorhq/proctor/host/cli"

func main() { cli.Main() }
