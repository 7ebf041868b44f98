package plugin

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// Matching says which plugins concern a directory, by the files named in their
// manifests, or by the plugins themselves when they were last started. It executes
// nothing.
type Matching struct {
	// Start are the plugins whose marker files only they themselves know.
	Start []Candidate

	waiting []Candidate
	refused []Refused

	// beside are the plugins beside proctor with known markers; markers has those of each.
	beside     []Candidate
	markers    [][]string
	remembered *Remembered
	// asked are the binaries in Start whose markers can be remembered.
	asked map[string]binaryIdentity
}

// Match sorts what was found. If remembered is nil, every plugin without files in its
// manifest is started.
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

// recall reports whether a candidate can wait because its markers are remembered.
func (m *Matching) recall(c Candidate) bool {
	if m.remembered == nil || !c.Beside {
		return false
	}
	id, known := identify(c.Path)
	if !known {
		return false
	}
	markers := m.remembered.lookup(id)
	if markers == nil {
		m.asked[c.Path] = id
		return false
	}
	m.beside, m.markers = append(m.beside, c), append(m.markers, markers)
	return true
}

// Remember records the markers of a started candidate, for a workspace with this root:
// nothing is stored inside the workspace.
func (m Matching) Remember(c Candidate, markers []string, root string) {
	if id, asked := m.asked[c.Path]; asked && !m.remembered.liesIn(root) {
		m.remembered.remember(id, markers)
	}
}

// Below returns the plugins beside proctor that have no marker in a directory but may have
// some below it, since a plugin also reports projects below the root that are not tested.
// It omits a plugin only if it certainly has none.
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
	s := newMarkerScan(root, wanted)
	if !s.scan(ctx) {
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

// Waits reports whether a refusal matters only in some directories: the user's own lock
// file applies to all of their projects, and a bad plugin in it must not stop unrelated
// ones. A project needs what it names.
func (r Refused) Waits() bool { return r.Lock != "" && !r.Project && len(r.Files) > 0 }

// Files returns all file names that make a directory a possible project of a plugin
// that was not started.
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

// In returns the plugins with a marker in a directory, including those beside proctor. The
// error is a [*NotFoundError] if one is refused.
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

// checkMarkers finds a project without any of its plugin's markers. Markers decide which
// plugins are started: whether such a project runs would depend on what else was
// started.
func checkMarkers(d sdk.Detection, root string, markers []string) *violation {
	if !d.Detected || len(markers) == 0 || hasAny(root, markers) {
		return nil
	}
	return violates("detected", "it reported a project that has none of its markers: %s; a plugin for projects without such a file declares no markers", strings.Join(markers, ", "))
}
