package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/proctorhq/proctor/plugins/forge/internal/lcov"
	"github.com/proctorhq/proctor/plugins/forge/internal/solidity"
	"github.com/proctorhq/proctor/sdk"
)

// maxTracefile bounds a tracefile: some hundred times that of a project with 1,000
// sources.
const maxTracefile = 256 << 20

// wholeSuites is what users read about why nothing is known about single tests.
const wholeSuites = "forge reports what the tests of a contract execute together; it leaves out functions outside of contracts, and code that it cannot match to a compiled contract"

// notAllPassed is what users read about why the coverage of a suite is unknown although
// there is a report. A failing test executes less than it might, and a test after a failed
// setUp nothing: the report would say that no test executes code that only they reach.
const notAllPassed = "not all of its tests passed while they were measured, so they may have executed less than usual; without the optimizer and via_ir, tests may fail that pass otherwise"

// ParseCoverage implements [sdk.CoverageReader].
func (d *Detector) ParseCoverage(_ context.Context, req sdk.CoverageRequest, sink sdk.CoverageSink) error {
	if len(req.Command.Targets) != 1 {
		sink.Error("the command does not say which suite it measured")
		return nil
	}
	suite := req.Command.Targets[0].Suite
	none := func(why string) {
		sink.Suite(sdk.SuiteCoverage{Suite: suite, Granularity: sdk.CoverageNone, Why: why, Cut: req.Exit.TimedOut || req.Exit.Cancelled})
	}
	traced, err := readTracefile(filepath.Join(req.Scratch, tracefile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		none(explainUnmeasured(req.Exit))
		return nil
	case err != nil:
		text := fmt.Sprintf("cannot read the report of forge coverage on %s: %v", suite, err)
		sink.Error(text)
		none(text)
		return nil
	}
	if req.Exit.Code != 0 && !req.Exit.Unknown {
		none(notAllPassed)
		return nil
	}
	if cover := toSuiteCoverage(req.Workspace.Root, suite, traced); len(cover.Files) > 0 {
		sink.Suite(cover)
		return nil
	}
	none("the report of forge coverage names no source")
	return nil
}

// explainUnmeasured says why there is no report.
func explainUnmeasured(exit sdk.Exit) string {
	if exit.TimedOut || exit.Cancelled {
		return "forge coverage did not finish in time"
	}
	if exit.Code == 0 {
		return "forge coverage found no tests to run in it"
	}
	return fmt.Sprintf("forge coverage exited with code %d and left no report: it compiles without the optimizer and via_ir, and some sources do not compile without them", exit.Code)
}

func readTracefile(name string) (lcov.Tracefile, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxTracefile {
		return nil, fmt.Errorf("it is not a regular file, or larger than %d bytes", maxTracefile)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return lcov.Read(f)
}

// toSuiteCoverage turns the lines of a tracefile into blocks.
func toSuiteCoverage(root, suite string, traced lcov.Tracefile) sdk.SuiteCoverage {
	cover := sdk.SuiteCoverage{Suite: suite, Granularity: sdk.CoveragePerSuite, Why: wholeSuites}
	files := map[string]map[int]uint64{}
	for path, lines := range traced {
		file := sourcePath(root, path)
		if file == "" || len(lines) == 0 {
			continue
		}
		if files[file] == nil {
			files[file] = map[int]uint64{}
		}
		for line, hits := range lines {
			files[file][line] = max(files[file][line], hits)
		}
	}
	number := 0
	for _, file := range slices.Sorted(maps.Keys(files)) {
		text, ok := readSource(root, file)
		if !ok || !isWhole(text, files[file]) {
			continue
		}
		covered := sdk.CoveredFile{File: file}
		for _, s := range solidity.Statements(text, slices.Sorted(maps.Keys(files[file]))) {
			covered.Blocks = append(covered.Blocks, sdk.Block{
				StartLine: s.StartLine, StartColumn: s.StartColumn, EndLine: s.EndLine, EndColumn: s.EndColumn, Statements: 1,
			})
			if files[file][s.StartLine] > 0 {
				cover.Whole = cover.Whole.Add(number)
			}
			number++
		}
		cover.Files = append(cover.Files, covered)
	}
	return cover
}

// isWhole reports whether all functions of a source were measured. Forge omits the
// functions of contracts with tests, and those outside of contracts: their file would
// look as if nothing executed them.
func isWhole(text []byte, lines map[int]uint64) bool {
	var starts []int
	for _, item := range solidity.Items(text) {
		if item.Kind == "function" {
			starts = append(starts, item.Start)
		}
	}
	for _, c := range solidity.Parse(text).Contracts {
		for _, f := range c.Functions {
			if f.Implemented {
				starts = append(starts, f.Offset)
			}
		}
	}
	slices.Sort(starts)
	count := &lineCounter{text: text, line: 1}
	return !slices.ContainsFunc(starts, func(start int) bool {
		_, measured := lines[count.at(start)]
		return !measured
	})
}

// sourcePath converts a tracefile's path to that of an [sdk.Location]: relative to the
// root, absolute outside of it; "" if there is none.
func sourcePath(root, path string) string {
	if !utf8.ValidString(path) || strings.ContainsRune(path, 0) || path == "" {
		return ""
	}
	full := filepath.FromSlash(path)
	if !filepath.IsAbs(full) {
		full = filepath.Join(root, full)
	}
	rel, err := filepath.Rel(root, full)
	if err != nil || !filepath.IsLocal(rel) {
		return filepath.ToSlash(filepath.Clean(full))
	}
	return filepath.ToSlash(cmp.Or(rel, path))
}

// measurement is a sink for what `forge coverage` prints: a document of results between
// lines of text and a table. Tests have no results there, since everything is compiled
// with other settings; it reports what could not be compiled or run, and which suites
// finished.
type measurement struct{ sdk.Sink }

// Test implements [sdk.Sink].
func (measurement) Test(sdk.TestResult) {}

// Failure implements [sdk.Sink].
func (m measurement) Failure(f sdk.Failure) {
	if f.Kind == sdk.KindBuild {
		m.Sink.Failure(f)
	}
}

// Unread implements [sdk.Sink].
func (measurement) Unread(sdk.Unread) {}

// Note implements [sdk.Sink].
func (measurement) Note(string) {}

// Condition implements [sdk.Sink].
func (measurement) Condition(_, _ string) {}
