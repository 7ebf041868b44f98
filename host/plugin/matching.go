package plugin

import (
	"os"
	"path/filepath"
	"slices"
)

// Matching tells which plugins have business in a directory, by the files that
// their manifests name. Nothing is executed for that.
type Matching struct {
	// Start are those whose files are not known without asking them.
	Start []Candidate

	waiting []Candidate
	refused []Refused
}

// Match sorts what was found.
func Match(candidates []Candidate, refused []Refused) Matching {
	var m Matching
	for _, c := range candidates {
		if len(c.Files) == 0 {
			m.Start = append(m.Start, c)
		} else {
			m.waiting = append(m.waiting, c)
		}
	}
	for _, r := range refused {
		if r.Waits() {
			m.refused = append(m.refused, r)
		}
	}
	return m
}

// Waits tells whether a refusal matters in some directories only: the user's own
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
	return files
}

// In returns the plugins that wait for a directory such as this. The error is a
// [*NotFoundError], where one is refused.
func (m Matching) In(dir string) ([]Candidate, error) {
	for _, r := range m.refused {
		if hasAny(dir, r.Files) {
			return nil, &NotFoundError{Name: r.Name, Refused: []Refused{r}}
		}
	}
	return slices.DeleteFunc(slices.Clone(m.waiting), func(c Candidate) bool { return !hasAny(dir, c.Files) }), nil
}

func hasAny(dir string, files []string) bool {
	return slices.ContainsFunc(files, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}
