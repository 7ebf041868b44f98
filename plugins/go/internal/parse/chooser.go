package parse

import (
	"bytes"
	"go/build"
	"io"
	"path/filepath"
	"runtime"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/sdk"
)

// chooser tells which of two files of a package is part of the build, where both
// declare the same name.
type chooser struct {
	tree *tree
	// known are the answers so far, by place.
	known map[string]bool
}

// prefers reports whether a file takes the place of one that comes before it.
func (c chooser) prefers(file, before string) bool {
	return !c.isBuilt(before) && c.isBuilt(file)
}

// isBuilt reports whether the name of a file and its constraints let it into the
// build, as far as the command and its variables tell.
func (c chooser) isBuilt(file string) bool {
	if built, known := c.known[file]; known {
		return built
	}
	path := c.tree.absolute(sdk.Location{File: file})
	context := c.tree.build
	context.OpenFile = func(string) (io.ReadCloser, error) {
		src, err := c.tree.reader.Bytes(path, source.MaxFile)
		return io.NopCloser(bytes.NewReader(src)), err
	}
	built, err := context.MatchFile(filepath.Dir(path), filepath.Base(path))
	c.known[file] = err == nil && built
	return c.known[file]
}

// buildContext is for what a command builds.
func buildContext(run sdk.RunInfo, tags []string) build.Context {
	context := build.Default
	context.GOOS, context.GOARCH = runtime.GOOS, runtime.GOARCH
	if system := variable(run, "GOOS"); system != "" {
		context.GOOS = system
	}
	if arch := variable(run, "GOARCH"); arch != "" {
		context.GOARCH = arch
	}
	context.CgoEnabled = variable(run, "CGO_ENABLED") != "0"
	context.BuildTags = tags
	return context
}

// variable is the value of a variable for a command.
func variable(run sdk.RunInfo, name string) string {
	if value, set := run.Command.Env[name]; set {
		return value
	}
	return run.Workspace.Env[name]
}
