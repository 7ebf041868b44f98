package gotest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/dependencies"
	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/plugins/go/internal/pattern"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/sdk"
)

// listedFields are the fields needed to find the tests.
const listedFields = "ImportPath,Dir,TestGoFiles,XTestGoFiles,Error"

const (
	// maxListed bounds the JSON of one package, in bytes; a thousand files take 50 KiB.
	maxListed = 16 << 20
	// maxListError is how much of the go command's error output is kept.
	maxListError = 16 << 10
)

// listedPackage is what "go list -json" prints for each package; without dependencies
// only the [listedFields].
type listedPackage = dependencies.Package

// listing reads the output of "go list -json" and the test files it names.
type listing struct {
	ctx     context.Context
	project project
	command sdk.Command
	filter  pattern.Filter
	// run and skip are those of the runner arguments; see [sdk.ListRequest.Selected].
	run, skip pattern.Filter
	sink      sdk.ListSink
	// dependencies are collected if requested, and suites held back until all are
	// known.
	dependencies *dependencies.Graph
	suites       []sdk.ListedSuite
	// keeper keeps what is listed, or is nil.
	keeper *keeper

	pending []byte // the beginning of a package's JSON
	stderr  []byte
	stopped bool
}

// Write implements [sdk.Parser].
func (l *listing) Write(stream sdk.Stream, data []byte) {
	if stream == sdk.Stderr {
		l.stderr = append(l.stderr, data[:min(len(data), maxListError-len(l.stderr))]...)
		return
	}
	for len(data) > 0 && !l.stopped {
		line := data
		if end := bytes.IndexByte(data, '\n'); end >= 0 {
			line = data[:end+1]
		}
		data = data[len(line):]
		l.pending = append(l.pending, line...)
		if bytes.HasSuffix(l.pending, []byte("\n}\n")) || bytes.HasSuffix(l.pending, []byte("\n}\r\n")) {
			l.readPackage()
		}
		if len(l.pending) > maxListed {
			l.stop(fmt.Sprintf("go list printed more than %d bytes about one package", maxListed))
		}
	}
}

// Close implements [sdk.Parser].
func (l *listing) Close(exit sdk.Exit) {
	if l.command.Known {
		l.readKept()
	}
	switch {
	case l.stopped:
	case len(bytes.TrimSpace(l.pending)) > 0:
		l.stop("the output of go list ends within a package")
	case exit.Code != 0 && !exit.Unknown:
		l.stop("go list failed: " + strings.TrimSpace(string(l.stderr)))
	case l.keeper != nil && exit == (sdk.Exit{}) && len(l.stderr) == 0:
		l.keeper.keep()
	}
	if l.dependencies != nil {
		l.reportDependencies()
	}
}

// readKept reads what is kept in place of output.
func (l *listing) readKept() {
	kept, err := l.project.readKept(l.command)
	if err != nil {
		l.stop("the listing that was kept is gone, list again: " + err.Error())
	}
	l.Write(sdk.Stdout, kept)
}

// stop ends the listing; what is missing is unknown.
func (l *listing) stop(why string) {
	l.stopped = true
	l.sink.Error(why)
}

// readPackage reads a complete package.
func (l *listing) readPackage() {
	var pkg listedPackage
	err := json.Unmarshal(l.pending, &pkg)
	if err != nil {
		l.stop("cannot read the output of go list: " + err.Error())
		return
	}
	if l.keeper != nil {
		l.keeper.add(&pkg, l.pending)
	}
	l.pending = l.pending[:0]
	if l.ctx.Err() != nil {
		l.stop("the listing was cancelled")
		return
	}
	if l.dependencies != nil {
		if err := l.dependencies.Add(&pkg); err != nil {
			l.stop("the output of go list is too large: " + err.Error())
			return
		}
		if !pkg.IsSuite() {
			return
		}
	}
	l.reportSuite(pkg)
}

// reportSuite reports a package. A missing one is shown by its absence; one that cannot be
// loaded is incomplete: a run would name it, too.
func (l *listing) reportSuite(pkg listedPackage) {
	functions, err := l.readFunctions(pkg)
	suite := sdk.ListedSuite{Suite: pkg.ImportPath}
	// In a listing with dependencies the suite's Opaque says that it cannot be loaded.
	opaque := l.dependencies != nil && pkg.Dir != ""
	switch {
	case err != nil:
		suite.Incomplete = fmt.Sprintf("some tests of %s are unknown: %v", pkg.ImportPath, err)
	case pkg.Error == nil || len(functions) > 0:
	case l.isGone(pkg):
		return
	case !opaque:
		suite.Incomplete = fmt.Sprintf("%s cannot be listed: %s", pkg.ImportPath, pkg.Error.Err)
	}
	for _, function := range functions {
		if !l.filter.Selects(function.Name) || !l.run.Selects(function.Name) || l.skip.Skips(function.Name) {
			continue
		}
		suite.Tests = append(suite.Tests, sdk.ListedTest{
			Name: function.Name, Location: l.project.location(function), OnRequest: function.Kind == source.Benchmark, Body: function.Body,
		})
	}
	if l.dependencies != nil {
		l.suites = append(l.suites, suite)
		return
	}
	l.sink.Suite(suite)
}

// readFunctions reads the package's test files. A package with an error may have none in
// the list: then all files count.
func (l *listing) readFunctions(pkg listedPackage) ([]source.Function, error) {
	names := append(pkg.TestGoFiles[:len(pkg.TestGoFiles):len(pkg.TestGoFiles)], pkg.XTestGoFiles...)
	if len(names) == 0 && pkg.Error != nil && pkg.Dir != "" {
		functions, err := l.project.layout.Reader.DirFunctions(pkg.Dir)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return functions, err
	}
	var functions []source.Function
	var unread []error
	for _, name := range names {
		if !filepath.IsAbs(name) {
			name = filepath.Join(pkg.Dir, name)
		}
		found, err := l.project.layout.Reader.FileFunctions(name)
		if err != nil {
			unread = append(unread, err)
		}
		functions = append(functions, found...)
	}
	return functions, errors.Join(unread...)
}

// isGone reports whether a package that cannot be loaded does not exist.
func (l *listing) isGone(pkg listedPackage) bool {
	dir, known := pkg.Dir, pkg.Dir != ""
	if !known {
		dir, known = l.project.layout.Dir(pkg.ImportPath)
	}
	return known && !l.project.layout.Reader.IsPackage(dir)
}

// location returns where a function is declared.
func (p project) location(function source.Function) sdk.Location {
	file := function.File
	if rel, err := filepath.Rel(p.layout.Root, file); err == nil && filepath.IsLocal(rel) {
		file = rel
	}
	return sdk.Location{File: filepath.ToSlash(file), Line: function.Line}
}

// narrow applies -run and -skip from the runner arguments. An invalid expression is
// ignored, so that no test is missed because of it.
func (l *listing) narrow(runnerArgs []string) {
	args, _ := goflags.Parse(runnerArgs) // ListCmd has rejected what cannot be parsed
	if expr, given := args.Get("run"); given {
		l.run = parseOrSelectAll(expr)
	}
	if expr, given := args.Get("skip"); given {
		if skip, err := pattern.Parse(expr); err == nil && expr != "" {
			l.skip = skip
		}
	}
}

// parseOrSelectAll parses an expression; an invalid one selects everything.
func parseOrSelectAll(expr string) pattern.Filter {
	filter, err := pattern.Parse(expr)
	if err != nil {
		filter, _ = pattern.Parse("")
	}
	return filter
}
