package plugin

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// Matching tells which plugins have business in a directory, by the files that
// their manifests name, or that they named when they were started before. Nothing is
// executed for that.
type Matching struct {
	// Start are those whose files are not known without asking them.
	Start []Candidate

	waiting []Candidate
	refused []Refused

	// beside are those that told their markers, markers what these are.
	beside     []Candidate
	markers    [][]string
	remembered *Remembered
	// asked are the binaries of those of Start whose markers can be remembered.
	asked map[string]binaryIdentity
}

// Match sorts what was found. With nothing remembered, nil, all are started whose
// manifests do not name their files.
func Match(candidates []Candidate, refused []Refused, remembered *Remembered) Matching {
	m := Matching{remembered: remembered, asked: map[string]binaryIdentity{}}
	for _, c := range candidates {
		switch {
		case len(c.Files) > 0:
			m.waiting = append(m.waiting, c)
		case !m.recall(c):
			m.Start = append(m.Start, c)
		}
	}
	for _, r := range refused {
		if r.Waits() {
			m.refused = append(m.refused, r)
		}
	}
	return m
}

// recall reports whether a candidate waits since its markers are remembered.
func (m *Matching) recall(c Candidate) bool {
	if m.remembered == nil || !c.Beside {
		return false
	}
	id, known := identify(c.Path)
	if !known {
		return false
	}
	markers := m.remembered.of(id)
	if markers == nil {
		m.asked[c.Path] = id
		return false
	}
	m.beside, m.markers = append(m.beside, c), append(m.markers, markers)
	return true
}

// Told is called with the markers of a candidate that was started, in the workspace with
// this root: nothing is remembered in the workspace itself.
func (m Matching) Told(c Candidate, markers []string, root string) {
	if id, asked := m.asked[c.Path]; asked && !m.remembered.liesIn(root) {
		m.remembered.keep(id, markers)
	}
}

// Below returns the plugins beside proctor that have none of their markers in a
// directory, and may have some below it. One is left out only where it is certain that
// none is there: a plugin also tells of projects below the root that are not tested.
func (m Matching) Below(ctx context.Context, root string) []Candidate {
	var rest []Candidate
	var wanted [][]string
	for i, c := range m.beside {
		if !hasAny(root, m.markers[i]) {
			rest, wanted = append(rest, c), append(wanted, m.markers[i])
		}
	}
	if len(rest) == 0 || m.remembered.liesIn(root) {
		return rest
	}
	s := newSighting(root, wanted)
	if !s.look(ctx) {
		return rest
	}
	var there []Candidate
	for i, c := range rest {
		if s.seen[i] {
			there = append(there, c)
		}
	}
	return there
}

// Waits reports whether a refusal matters in some directories only: the user's own
// lock file is for all of their projects, and one bad plugin in it must not stop
// those that it has no business in. What a project names, it needs.
func (r Refused) Waits() bool { return r.Lock != "" && !r.Project && len(r.Files) > 0 }

// Files are all file names by which a directory may be a project of a plugin that
// was not started.
func (m Matching) Files() []string {
	var files []string
	for _, c := range m.waiting {
		files = append(files, c.Files...)
	}
	for _, r := range m.refused {
		files = append(files, r.Files...)
	}
	return append(files, slices.Concat(m.markers...)...)
}

// In returns the plugins that wait for a directory such as this, also those beside
// proctor. The error is a [*NotFoundError], where one is refused.
func (m Matching) In(dir string) ([]Candidate, error) {
	for _, r := range m.refused {
		if hasAny(dir, r.Files) {
			return nil, &NotFoundError{Name: r.Name, Refused: []Refused{r}}
		}
	}
	there := slices.DeleteFunc(slices.Clone(m.waiting), func(c Candidate) bool { return !hasAny(dir, c.Files) })
	for i, c := range m.beside {
		if hasAny(dir, m.markers[i]) {
			there = append(there, c)
		}
	}
	return there, nil
}

func hasAny(dir string, files []string) bool {
	return slices.ContainsFunc(files, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}

// markerless finds a project where none of its plugin's markers is. By these it is
// decided which plugins are started at all: such a project would be run or not by
// what happened to be started.
func markerless(d sdk.Detection, root string, markers []string) *violation {
	if !d.Detected || len(markers) == 0 || hasAny(root, markers) {
		return nil
	}
	return violates("detected", "there is a project where none of its markers is: %s; a plugin for projects without such a file names none", strings.Join(markers, ", "))
}
