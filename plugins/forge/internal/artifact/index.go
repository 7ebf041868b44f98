package artifact

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// indexFile is what the index says about one source.
type indexFile struct {
	modified  int64 // milliseconds since 1970, as the compiler read it
	imports   []string
	artifacts map[string]location
	// every has the artifacts of all compiler versions and profiles.
	every map[string][]location
}

// location is where an artifact is: path is relative to out/, build is the name of the
// build-info file without its extension, "" if unknown.
type location struct{ path, build string }

// parseIndex parses the index. It skips invalid entries, so that one of them does not
// affect the others.
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
		f := &indexFile{modified: entry.Modified, artifacts: make(map[string]location, len(entry.Artifacts)), every: map[string][]location{}}
		for _, imported := range entry.Imports {
			f.imports = append(f.imports, relativeTo(root, imported))
		}
		for name, versions := range entry.Artifacts {
			if at, ok := newestArtifact(versions); ok {
				f.artifacts[name] = at
			}
			f.every[name] = allArtifacts(versions)
		}
		files[relativeTo(root, path)] = f
	}
	return files, true
}

// newestArtifact picks one artifact among several compiler versions and profiles: the highest
// version, and of it preferably the profile "default". The three formats, oldest first:
// "path"; {path, build_id}; {profile: {path, build_id}}.
func newestArtifact(versions map[string]json.RawMessage) (location, bool) {
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

// allArtifacts returns all artifacts of a contract, in order.
func allArtifacts(versions map[string]json.RawMessage) []location {
	var all []location
	for _, version := range slices.Sorted(maps.Keys(versions)) {
		one, profiles := artifactEntries(versions[version])
		if one.path != "" {
			all = append(all, one)
		}
		for _, profile := range slices.Sorted(maps.Keys(profiles)) {
			if e := profiles[profile]; e.Path != "" {
				all = append(all, location{path: e.Path, build: e.Build})
			}
		}
	}
	return all
}

// artifactEntry is an artifact as the index names it.
type artifactEntry struct {
	Path  string `json:"path"`
	Build string `json:"build_id"`
}

// artifactEntries reads the index entry of one version: one artifact, or one of each
// profile.
func artifactEntries(text json.RawMessage) (one location, profiles map[string]artifactEntry) {
	var path string
	if json.Unmarshal(text, &path) == nil {
		return location{path: path}, nil
	}
	var entry artifactEntry
	if json.Unmarshal(text, &entry) == nil && entry.Path != "" {
		return location{path: entry.Path, build: entry.Build}, nil
	}
	if json.Unmarshal(text, &profiles) != nil {
		return location{}, nil
	}
	return location{}, profiles
}

func artifactLocation(text json.RawMessage) (location, bool) {
	one, profiles := artifactEntries(text)
	if len(profiles) == 0 {
		return one, one.path != ""
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

// relativeTo returns path relative to root with slashes, if it is below it.
func relativeTo(root, path string) string {
	if filepath.IsAbs(path) {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			path = rel
		}
	}
	return filepath.ToSlash(filepath.Clean(path))
}

// absolutePath returns path under root, or path itself if absolute.
func absolutePath(root, path, standard string) string {
	if path == "" {
		path = standard
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(root, path)
}
