package gotest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/profile"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/plugins/go/internal/testexec"
	"github.com/proctorhq/proctor/sdk"
)

// profileFile is where a run leaves its coverage profile in the scratch directory.
const profileFile = "cover.out"

// ParseCoverage implements [sdk.CoverageReader]: it reads the profile of a run, or
// the files of an index.
func (d *Detector) ParseCoverage(ctx context.Context, req sdk.CoverageRequest, sink sdk.CoverageSink) error {
	req.Workspace = withEnvironmentFile(req.Workspace)
	reader := coverageReader{openProject(req.Workspace).layout}
	if _, isIndex := req.Command.Env[testexec.TableVariable]; isIndex {
		return reader.readIndex(ctx, filepath.Join(req.Scratch, tableFile), req.Exit, sink)
	}
	return reader.readRun(ctx, req, sink)
}

// coverageReader finds the files of a project in what was measured.
type coverageReader struct{ layout *source.Layout }

// readIndex reports the suites of an index.
func (r coverageReader) readIndex(ctx context.Context, tablePath string, exit sdk.Exit, sink sdk.CoverageSink) error {
	table, err := testexec.ReadTable(tablePath)
	if err != nil {
		sink.Error("cannot read what was to be measured: " + err.Error())
		return nil
	}
	for at, pkg := range table.Packages {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		measured, err := testexec.ReadMeasured(tablePath, at)
		var missing *testexec.NotMeasuredError
		switch {
		case errors.As(err, &missing) && exit.TimedOut:
			sink.Suite(sdk.SuiteCoverage{
				Suite: pkg.Suite, Granularity: sdk.CoverageNone, Cut: true, Why: "the time budget was exhausted: " + missing.Error(),
			})
		case errors.As(err, &missing) && !missing.Begun:
			sink.Suite(sdk.SuiteCoverage{
				Suite: pkg.Suite, Granularity: sdk.CoverageNone,
				Why: "its tests were not started: it was not built, or has none",
			})
		case err != nil:
			sink.Error(fmt.Sprintf("%s was not measured: %v", pkg.Suite, err))
		case measured.Suite != pkg.Suite:
			sink.Error(fmt.Sprintf("%s was not measured: the file left is that of %q", pkg.Suite, measured.Suite))
		default:
			sink.Suite(r.withFilePaths(measured))
		}
	}
	return nil
}

// readRun reports the packages in the profile of a run. Without -coverpkg each is
// measured only by its own tests.
func (r coverageReader) readRun(ctx context.Context, req sdk.CoverageRequest, sink sdk.CoverageSink) error {
	file, err := os.Open(filepath.Join(req.Scratch, profileFile))
	if os.IsNotExist(err) {
		sink.Error("the run left no coverage profile")
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	var blocks profile.Numbering
	executed, err := blocks.Read(file)
	if err != nil {
		sink.Error(err.Error())
	}
	files, numbers := blocks.Files()
	executed = profile.Renumber(executed, numbers)
	for first := 0; len(files) > 0; {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		n, size := 0, 0
		for n < len(files) && path.Dir(files[n].File) == path.Dir(files[0].File) {
			size += len(files[n].Blocks)
			n++
		}
		suite := sdk.SuiteCoverage{Suite: path.Dir(files[0].File), Granularity: sdk.CoveragePerSuite, Files: files[:n], Why: "a run measures all tests together"}
		for at := range size {
			if executed.Has(first + at) {
				suite.Whole = suite.Whole.Add(at)
			}
		}
		if len(suite.Whole) > 0 || r.hasTests(suite.Suite) {
			sink.Suite(r.withFilePaths(suite))
		}
		files, first = files[n:], first+size
	}
	return nil
}

// hasTests reports whether a package has test files: the profile also has packages
// without.
func (r coverageReader) hasTests(importPath string) bool {
	dir, known := r.layout.Dir(importPath)
	if !known {
		return false
	}
	files, _ := r.layout.Reader.GoFiles(dir) // what cannot be listed was not tested
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			return true
		}
	}
	return false
}
