package artifact

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// indexFile is what the index says of one source.
type indexFile struct {
	modified  int64 // milliseconds since 1970, as the compiler read it
	imports   []string
	artifacts map[string]location
}

// location is where an artifact lies: path is relative to out/, build is the
// name of the build-info file without its ending, "" when unknown.
type location struct{ path, build string }

// parseIndex reads the index. Single entries that make no sense are left out,
// so that one odd file costs no more than itself.
func parseIndex(data []byte, root string) (map[string]*indexFile, bool) {
	var raw struct {
		Files map[string]json.RawMessage `json:"files"`
	}
	if json.Unmarshal(data, &raw) != nil || raw.Files == nil {
		return nil, false
	}
	files := make(map[string]*indexFile, len(raw.Files))
	for path, text := range raw.Files {
		var entry struct {
			Modified  int64                                 `json:"lastModificationDate"`
			Imports   []string                              `json:"imports"`
			Artifacts map[string]map[string]json.RawMessage `json:"artifacts"`
		}
		if json.Unmarshal(text, &entry) != nil {
			continue
		}
		f := &indexFile{modified: entry.Modified, artifacts: make(map[string]location, len(entry.Artifacts))}
		for _, imported := range entry.Imports {
			f.imports = append(f.imports, relativeTo(root, imported))
		}
		for name, versions := range entry.Artifacts {
			if at, ok := newest(versions); ok {
				f.artifacts[name] = at
			}
		}
		files[relativeTo(root, path)] = f
	}
	return files, true
}

// newest picks one artifact of those of several compiler versions and profiles:
// the highest version, and of it the profile "default" before others. The three
// forms, from old to new: "path"; {path, build_id}; {profile: {path, build_id}}.
func newest(versions map[string]json.RawMessage) (location, bool) {
	var best location
	bestVersion, found := "", false
	for version, text := range versions {
		if found && compareVersions(version, bestVersion) <= 0 {
			continue
		}
		if at, ok := artifactLocation(text); ok {
			best, bestVersion, found = at, version, true
		}
	}
	return best, found
}

func artifactLocation(text json.RawMessage) (location, bool) {
	var path string
	if json.Unmarshal(text, &path) == nil {
		return location{path: path}, path != ""
	}
	type entry struct {
		Path  string `json:"path"`
		Build string `json:"build_id"`
	}
	var one entry
	if json.Unmarshal(text, &one) == nil && one.Path != "" {
		return location{path: one.Path, build: one.Build}, true
	}
	var profiles map[string]entry
	if json.Unmarshal(text, &profiles) != nil {
		return location{}, false
	}
	chosen := ""
	for name, e := range profiles {
		if e.Path != "" && (chosen == "" || name == "default" || chosen != "default" && name < chosen) {
			chosen = name
		}
	}
	e := profiles[chosen]
	return location{path: e.Path, build: e.Build}, e.Path != ""
}

// compareVersions orders "0.8.9" before "0.8.30+commit.73712a01".
func compareVersions(a, b string) int {
	for a != "" || b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		if c := strings.Compare(x, y); c != 0 {
			return c
		}
	}
	return 0
}

// relativeTo is path relative to root with slashes, where it lies below it.
func relativeTo(root, path string) string {
	if filepath.IsAbs(path) {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			path = rel
		}
	}
	return filepath.ToSlash(filepath.Clean(path))
}

// below is path under root, or path itself when absolute.
func below(root, path, standard string) string {
	if path == "" {
		path = standard
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(root, path)
}
