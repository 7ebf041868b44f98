package affected

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
)

// workspace is the input, indexed, with cached answers.
type workspace struct {
	in     Input
	suites []string
	// changed are the paths of the changes.
	changed map[string]bool
	// builtFrom maps a suite to a changed file that it is built from.
	builtFrom map[string]string
	// data are changed files that no suite is built from: any test may read them.
	data []string

	touches, matches, digests map[string]string
	diffs                     map[diffKey]coverage.Difference
}

// newWorkspace indexes the input. If nothing can be concluded from it, everything says why.
func newWorkspace(in Input) (w *workspace, everything string) {
	w = &workspace{
		in: in, changed: map[string]bool{}, builtFrom: map[string]string{},
		touches: map[string]string{}, matches: map[string]string{}, digests: map[string]string{}, diffs: map[diffKey]coverage.Difference{},
	}
	if in.Graph == nil || in.Digest == nil {
		return nil, "it is unknown what the suites are built from"
	}
	if errs := in.Graph.Errors(); len(errs) > 0 {
		return nil, "it is unknown what some suites are built from: " + errs[0]
	}
	for _, c := range in.Changes {
		if !isUsable(c.Path) {
			return nil, "it is unknown which files changed"
		}
		w.changed[c.Path] = true
	}
	links := map[string]bool{}
	for _, c := range in.Changes {
		links[c.Path] = links[c.Path] || c.Link
	}
	w.suites = sorted(in.Graph.Suites)
	held := w.findHeld()
	for _, file := range sorted(w.changed) {
		suites := in.Graph.BuiltFrom(file)
		for _, suite := range suites {
			if _, ok := w.builtFrom[suite]; !ok {
				w.builtFrom[suite] = file
			}
		}
		if len(suites) > 0 || held[file] {
			continue
		}
		switch {
		case strings.ContainsFunc(file, unicode.IsControl):
			return nil, "it is unknown whether tests read " + strconv.Quote(file) + ", which changed: lists of what tests read omit such names"
		case links[file]:
			return nil, "it is unknown whether tests resolve the link " + file + ", which changed"
		case path.IsAbs(file):
			return nil, "it is unknown whether tests read " + file + ", which changed outside of the workspace"
		}
		w.data = append(w.data, file)
	}
	return w, ""
}

// isUsable reports whether anything can be known about a file with this path.
func isUsable(file string) bool {
	return file != "" && file == path.Clean(file) && file != "." && file != "/" && file != ".." && !strings.HasPrefix(file, "../")
}

// findHeld finds the suites built from something below a changed path, which is then not a
// plain file, and returns those paths.
func (w *workspace) findHeld() map[string]bool {
	held := map[string]bool{}
	for _, suite := range w.suites {
		for _, file := range w.in.Graph.Files(suite) {
			if at := w.changeAt(file); at != "" {
				held[at] = true
				if _, ok := w.builtFrom[suite]; !ok {
					w.builtFrom[suite] = at
				}
			}
		}
	}
	return held
}

// changeAt returns the changed path that is the file or above it, or "".
func (w *workspace) changeAt(file string) string {
	if at, ok := w.touches[file]; ok {
		return at
	}
	found := ""
	for at := file; ; at = path.Dir(at) {
		if w.changed[at] {
			found = at
			break
		}
		if at == path.Dir(at) {
			break
		}
	}
	w.touches[file] = found
	return found
}

// digest returns a file's present digest.
func (w *workspace) digest(file string) string {
	digest, ok := w.digests[file]
	if !ok {
		digest = w.in.Digest(file)
		w.digests[file] = digest
	}
	return digest
}

// inBase reports whether a file is among the changes if it differs from the base.
func (w *workspace) inBase(file string) bool {
	if w.in.InBase == nil {
		return !path.IsAbs(file)
	}
	return w.in.InBase(file)
}

// measured returns what was measured of a suite test by test; nil if nothing.
func (in *Input) measured(suite string) *coverage.Suite {
	if m := in.Suites[suite]; m != nil && m.Granularity == api.GranularityTest {
		return m
	}
	return nil
}

// pick picks a test, if it still exists.
func (w *workspace) pick(p *pick, suite, test string, r reason) {
	if w.in.Graph.HasTest(suite, test) {
		p.test(test, r)
	}
}

// findOther finds a file that a suite is built from now but was not when measured, or the
// reverse.
func (w *workspace) findOther(m *coverage.Suite) (file string, found bool) {
	files := w.in.Graph.Files(m.Suite)
	for _, file := range files {
		if !m.Built[file] {
			return file, true
		}
	}
	for _, file := range sorted(m.Built) {
		if _, ok := slices.BinarySearch(files, file); m.Built[file] && !ok {
			return file, true
		}
	}
	return "", false
}
