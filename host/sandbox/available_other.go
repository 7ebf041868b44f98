//go:build !linux

package sandbox

import (
	"context"
	"runtime"
)

// Available reports that there is no sandbox on this system.
func Available(context.Context, []string) (Program, error) {
	return Program{}, &UnavailableError{
		Why: "proctor has one on Linux only, and this is " + runtime.GOOS,
		Fix: "use a Linux machine, or a container of one",
	}
}

func (p Program) args() []string   { return nil }
func (p Program) before() []string { return nil }
func (p Program) after() []string  { return nil }

func systemDirs() []string { return nil }
