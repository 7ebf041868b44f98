package sources

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/sdk"
)

// Measuring collects the coverage that commands measured, and converts it for storage.
type Measuring struct {
	project project.Project
	Graph   *coverage.Graph
	// Known are the suites measured before in this setting, by name, or nil. Where nothing
	// that an outline depends on has changed since, theirs are used again.
	Known   map[string]*coverage.Suite
	setting string
	at      time.Time
	// before has the digests of files from before the commands started; watch finds the
	// files that have changed since, or is nil.
	before *Digests
	watch  *fingerprint.Snapshot
	began  time.Time

	mu       sync.Mutex
	Reported map[string]sdk.SuiteCoverage
	Errors   []string
}

var _ sdk.CoverageSink = (*Measuring)(nil)

// NewMeasuring must be called before the commands start.
func NewMeasuring(p project.Project, args []string, at time.Time) *Measuring {
	return &Measuring{
		project: p, setting: p.Setting(args), at: at, before: NewDigests(p.Root.Path), began: time.Now(),
		Reported: map[string]sdk.SuiteCoverage{},
	}
}

// Suite adds the coverage of a suite.
func (m *Measuring) Suite(s sdk.SuiteCoverage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Reported[s.Suite] = s
}

// maxMeasuringErrors is how many errors are kept.
const maxMeasuringErrors = 20

// Error adds why something could not be read.
func (m *Measuring) Error(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.Errors) < maxMeasuringErrors {
		m.Errors = append(m.Errors, text)
	}
}

// Look digests the files that the suites are built from, before any test runs, and takes a
// snapshot of the others: which of them tests read is known only afterwards.
func (m *Measuring) Look(ctx context.Context, suites []string, cfg fingerprint.Config) error {
	cfg.Since = m.began
	if watch, err := fingerprint.Take(ctx, cfg); err == nil {
		m.watch = watch
	}
	for _, suite := range suites {
		for _, file := range m.Graph.Files(suite) {
			m.before.Of(file)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// errChanged means that it is unknown which content of a file was measured.
var errChanged = errors.New("files that it is built from changed while it was measured")

// Suites returns what to store, and why something cannot be stored, by name of suite.
func (m *Measuring) Suites(ctx context.Context) (map[string]*coverage.Suite, map[string]error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := NewDigests(m.project.Root.Path)
	moved := m.listMoved(ctx)
	sources, trouble := m.outlineSources(ctx, now)
	kept, failed := map[string]*coverage.Suite{}, map[string]error{}
	for _, name := range slices.Sorted(maps.Keys(m.Reported)) {
		reported := m.Reported[name]
		if reported.Granularity == sdk.CoverageNone {
			failed[name] = errors.New(reported.Why)
			continue
		}
		node, ok := m.Graph.Suites[name]
		if !ok {
			failed[name] = errors.New("the plugin measured a suite that it did not list")
			continue
		}
		measurement := coverage.Measurement{
			Language: m.project.ID.Language, Setting: m.setting, At: m.at, Reported: reported, Opaque: node.Opaque,
			Inputs: map[string]string{}, Built: map[string]bool{}, Patterns: m.Graph.Patterns(name), Sources: sources,
		}
		for _, file := range m.Graph.Files(name) {
			measurement.Inputs[file], measurement.Built[file] = m.before.Of(file), true
			if m.before.Of(file) != now.Of(file) || moved[file] || now.writtenSince(file, m.began) {
				failed[name] = errChanged
			}
		}
		for _, t := range reported.Tests {
			for _, path := range t.Reads {
				if _, ok := measurement.Inputs[path]; ok {
					continue
				}
				measurement.Inputs[path] = now.Of(path)
				if moved[path] || now.writtenSince(path, m.began) {
					measurement.Inputs[path] = unsettled
				}
			}
		}
		if failed[name] == nil && trouble != nil {
			failed[name] = trouble
		}
		if failed[name] != nil {
			continue
		}
		suite, err := coverage.NewSuite(measurement)
		if err != nil {
			failed[name] = err
			continue
		}
		kept[name] = suite
	}
	return kept, failed
}

// unsettled stands for the digest of a file that changed while tests read it. No content
// has it, so the measurement counts as stale.
const unsettled = "changed while it was read"

// listMoved returns the files that changed since the commands started, as far as known.
func (m *Measuring) listMoved(ctx context.Context) map[string]bool {
	moved := map[string]bool{}
	if m.watch == nil {
		return moved
	}
	changed, _, err := m.watch.Changed(ctx)
	if err != nil {
		return moved
	}
	root := m.project.Root.Path
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	for _, path := range changed {
		moved[inWorkspace(m.watch.State.Top, root, path)] = true
	}
	return moved
}

// outlineSources returns the sheets of all files that the measured suites are built from,
// if they have an outline or were measured.
func (m *Measuring) outlineSources(ctx context.Context, now *Digests) (map[string]*coverage.Sheet, error) {
	files, covered := map[string]bool{}, map[string]bool{}
	for name, reported := range m.Reported {
		for _, file := range m.Graph.Files(name) {
			files[file] = true
		}
		for _, f := range reported.Files {
			files[f.File], covered[f.File] = true, true
		}
	}
	units := m.reuseOutlines(now)
	unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(file string) bool { _, ok := units[file]; return ok })
	outlined, err := project.ReadOutlines(ctx, m.project, unknown)
	if err != nil {
		return nil, fmt.Errorf("its sources could not be outlined: %w", err)
	}
	maps.Copy(units, outlined)
	sheets := map[string]*coverage.Sheet{}
	for file := range files {
		if outline, ok := units[file]; ok || covered[file] {
			sheets[file] = &coverage.Sheet{Path: file, Digest: now.Of(file), Lines: now.Lines(file), Units: outline}
		}
	}
	return sheets, ctx.Err()
}

// reuseOutlines returns the outlines of files in directories that are as they were when a
// known suite was measured. They depend on all files of the directory, also on tests that the
// suite is not built from, and on files that have no outline, such as those of modules.
func (m *Measuring) reuseOutlines(now *Digests) map[string][]sdk.SourceUnit {
	used, inDir := map[string]bool{}, map[string][]string{} // what any suite is built from now
	for _, name := range m.Graph.SuiteNames() {
		for _, file := range m.Graph.Files(name) {
			if !used[file] {
				used[file], inDir[path.Dir(file)] = true, append(inDir[path.Dir(file)], file)
			}
		}
	}
	units := map[string][]sdk.SourceUnit{}
	for name, known := range m.Known {
		outlined, changed := map[string]bool{}, map[string]bool{} // by extension, and by directory
		other := false
		isNew := func(file string) bool { return !known.Built[file] }
		for _, sheet := range known.Sheets {
			outlined[path.Ext(sheet.Path)] = outlined[path.Ext(sheet.Path)] || sheet.Units != nil
			if dir := path.Dir(sheet.Path); !changed[dir] {
				changed[dir] = slices.ContainsFunc(inDir[dir], isNew)
			}
		}
		for _, file := range m.Graph.Files(name) {
			other = other || !known.Built[file] && !outlined[path.Ext(file)]
		}
		for file, built := range known.Built {
			if built && (!used[file] || known.Inputs[file] != now.Of(file)) {
				changed[path.Dir(file)] = true
				other = other || !outlined[path.Ext(file)]
			}
		}
		for _, sheet := range known.Sheets {
			if !other && known.Built[sheet.Path] && sheet.Units != nil && !changed[path.Dir(sheet.Path)] && sheet.Digest == now.Of(sheet.Path) {
				units[sheet.Path] = sheet.Units
			}
		}
	}
	return units
}
