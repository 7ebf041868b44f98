package gotest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/plugins/go/internal/profile"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/plugins/go/internal/testexec"
	"github.com/proctorhq/proctor/plugins/go/internal/toolchain"
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

// coverageFlags returns the flags with which a run leaves a coverage profile, or why there are
// none: they must not change what the user asked for, or what the run says.
//
// Packages are only measured by their own tests: the result of -coverpkg does not show
// who executed what.
func (p project) coverageFlags(args goflags.Args) (flags []string, why string) {
	variable := goflags.Args{Flags: variableFlags(p.workspace.Env["GOFLAGS"])}
	for _, name := range []string{"coverprofile", "coverpkg", "fuzz"} {
		_, given := args.Get(name)
		value, inVariable := variable.Get(name)
		switch {
		case given || inVariable && value != "":
			return nil, "the coverage of this run is not read: -" + name + " is given, and go test does that instead"
		}
	}
	if p.lacksCovdata() {
		return nil, "the coverage of this run is not measured: a downloaded toolchain of Go 1.25 then fails in packages without tests (golang.org/issue/75031)"
	}
	return []string{"-coverprofile=" + sdk.Scratch + "/" + profileFile}, ""
}

// lacksCovdata reports whether go test -cover would fail in packages without tests:
// that needs a tool which Go 1.25 builds on demand, but not if another toolchain
// downloaded this one. See https://go.dev/issue/75031.
func (p project) lacksCovdata() bool {
	installed := toolchain.Find(toolchain.Settings{Program: p.workspace.Tools[tool], Toolchain: "local"})
	return p.version.AtLeast("go1.25") && !p.version.AtLeast("go1.26") && p.version != installed
}

// withFilePaths returns the same coverage with file paths, without files outside of the
// workspace and files whose blocks are not where the profile says.
func (r coverageReader) withFilePaths(measured sdk.SuiteCoverage) sdk.SuiteCoverage {
	placed := measured
	placed.Files, placed.Tests = nil, nil
	var numbers []int
	kept := 0
	for _, file := range measured.Files {
		name, inside := r.relativePath(file.File)
		var src []byte
		if inside {
			src, inside = r.asWritten(name, file.Blocks)
		}
		for range file.Blocks {
			number := -1
			if inside {
				number = kept
				kept++
			}
			numbers = append(numbers, number)
		}
		if inside {
			placed.Files = append(placed.Files, sdk.CoveredFile{File: name, Blocks: widenCases(src, file.Blocks)})
		}
	}
	placed.Whole = profile.Renumber(measured.Whole, numbers)
	placed.StartUp = profile.Renumber(measured.StartUp, numbers)
	for _, test := range measured.Tests {
		test.Blocks = profile.Renumber(test.Blocks, numbers)
		placed.Tests = append(placed.Tests, test)
	}
	return placed
}

// relativePath converts a file name of a profile to a path relative to the root, if it is
// below. A profile has the import path of the package and the name of the file or, for
// packages without one, the path.
func (r coverageReader) relativePath(name string) (string, bool) {
	dir, known := "", false
	full := filepath.FromSlash(strings.TrimPrefix(name, "_"))
	switch {
	case filepath.IsAbs(full):
	case strings.HasPrefix(name, "./"), strings.HasPrefix(name, "../"):
		full = filepath.Join(r.layout.Root, full)
	default:
		if dir, known = r.layout.Dir(path.Dir(name)); !known {
			return "", false
		}
		full = filepath.Join(dir, path.Base(name))
	}
	rel, err := filepath.Rel(r.layout.Root, full)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// asWritten returns a file's source if its blocks are where its lines are. In a file
// with //line directives, as written by generators, they are elsewhere, some under the
// name of another file, so such a file counts as not measured.
func (r coverageReader) asWritten(name string, blocks []sdk.Block) (src []byte, is bool) {
	for _, b := range blocks {
		if b.StartLine < 1 || b.StartColumn < 1 || b.EndColumn < 1 ||
			b.EndLine < b.StartLine || b.EndLine == b.StartLine && b.EndColumn < b.StartColumn {
			return nil, false
		}
	}
	if !strings.HasSuffix(name, ".go") {
		return nil, false
	}
	src, err := r.layout.Reader.Bytes(filepath.Join(r.layout.Root, filepath.FromSlash(name)), source.MaxFile)
	return src, err == nil && !hasLineDirective(src)
}

// hasLineDirective reports whether a source has a comment that changes positions, or
// text that looks like one; see https://pkg.go.dev/cmd/compile#hdr-Line_Directives.
func hasLineDirective(src []byte) bool {
	return bytes.HasPrefix(src, []byte("//line ")) || bytes.Contains(src, []byte("\n//line ")) || bytes.Contains(src, []byte("/*line "))
}
