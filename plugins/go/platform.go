package gotest

import "runtime"

// limits is what the platform allows, in bytes.
type limits struct {
	// argument bounds one argument, packages all packages of a command.
	argument, packages int
}

// platformLimits returns the system's limits on arguments. Linux bounds one at 128 KiB,
// and all of them with the environment at 2 MiB, macOS at 1 MiB. Windows bounds the
// whole command line at 32,767 characters.
func platformLimits() limits {
	if runtime.GOOS == "windows" {
		return limits{argument: 14 << 10, packages: 14 << 10}
	}
	return limits{argument: 100 << 10, packages: 512 << 10}
}
