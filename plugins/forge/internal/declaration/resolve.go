package declaration

import (
	"path"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
)

// resolver resolves imports to sources.
type resolver struct {
	project *artifact.Project
	sources *sources
	libs    []string
	remaps  []remapping
}

// remapping is "context:prefix=target".
type remapping struct{ context, prefix, target string }

func newResolver(cfg Config, project *artifact.Project, sources *sources) *resolver {
	r := &resolver{project: project, sources: sources, libs: project.Libs()}
	lines := cfg.Remappings
	if lines == nil {
		if text, ok := sources.get("remappings.txt"); ok {
			lines = strings.Split(string(text.text), "\n")
		}
	}
	for _, line := range lines {
		prefix, target, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok {
			continue
		}
		m := remapping{prefix: prefix, target: target}
		if before, after, ok := strings.Cut(prefix, ":"); ok {
			m.context, m.prefix = before, after
		}
		r.remaps = append(r.remaps, m)
	}
	// The compiler takes the longest context, then the longest prefix.
	slices.SortStableFunc(r.remaps, func(a, b remapping) int {
		if n := len(b.context) - len(a.context); n != 0 {
			return n
		}
		return len(b.prefix) - len(a.prefix)
	})
	return r
}

// resolve finds an imported source: first by what the compiler has recorded of the
// importing file, then by remappings, then by forge's defaults.
func (r *resolver) resolve(from, imported string) (string, bool) {
	if strings.HasPrefix(imported, "./") || strings.HasPrefix(imported, "../") {
		return path.Join(path.Dir(from), imported), true
	}
	for _, m := range r.remaps {
		if strings.HasPrefix(from, m.context) && strings.HasPrefix(imported, m.prefix) {
			target := path.Clean(m.target + strings.TrimPrefix(imported, m.prefix))
			if r.exists(target) {
				return target, true
			}
		}
	}
	if known, ok := closestPath(r.project.Imports(from), imported); ok {
		return known, true
	}
	for _, candidate := range r.candidates(imported) {
		if r.exists(candidate) {
			return candidate, true
		}
	}
	return "", false
}

// candidates returns where an import without a remapping may be: in the root, or in a
// dependency, where forge's automatic remappings find it.
func (r *resolver) candidates(imported string) []string {
	imported = path.Clean(imported)
	candidates := []string{imported}
	name, rest, _ := strings.Cut(imported, "/")
	for _, lib := range r.libs {
		for _, folder := range []string{"", "src", "contracts"} {
			candidates = append(candidates, path.Join(lib, name, folder, rest))
		}
	}
	return candidates
}

func (r *resolver) exists(candidate string) bool {
	_, ok := r.sources.get(candidate)
	return ok
}

// closestPath returns the path that shares the longest suffix with the import, in whole
// names and at least one.
func closestPath(paths []string, imported string) (string, bool) {
	best, most := "", 0
	for _, p := range paths {
		if n := sharedEnd(p, imported); n > most {
			best, most = p, n
		}
	}
	return best, most > 0
}

func sharedEnd(a, b string) int {
	n := 0
	for a != "" && b != "" && path.Base(a) == path.Base(b) {
		n++
		a, b = parentPath(a), parentPath(b)
	}
	return n
}

func parentPath(p string) string {
	return p[:max(0, strings.LastIndexByte(p, '/'))]
}
