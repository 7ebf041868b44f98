package index

import (
	"maps"
	"slices"
)

// Add adds a version, or platforms to an existing one. It changes nothing that exists:
// the error is a [*ChangedError] if it would have to, and an [*Error] if the index
// would become invalid. After an error the index is unchanged.
func (x *Index) Add(plugin, version string, v Version) error {
	files := maps.Clone(v.Files)
	if old, there := x.Plugins[plugin].Versions[version]; there {
		switch {
		case !slices.Equal(old.Protocols, v.Protocols):
			return &ChangedError{plugin, version, "list of protocols"}
		case old.Summary != v.Summary:
			return &ChangedError{plugin, version, "summary"}
		}
		for _, p := range slices.Sorted(maps.Keys(old.Files)) {
			if a, again := v.Files[p]; again && a != old.Files[p] {
				return &ChangedError{plugin, version, "archive for " + string(p)}
			}
		}
		files = maps.Clone(old.Files)
		maps.Copy(files, v.Files)
	}
	next := Index{Schema: x.Schema, Plugins: maps.Clone(x.Plugins)}
	if next.Schema == 0 {
		next.Schema = Schema
	}
	if next.Plugins == nil {
		next.Plugins = map[string]Plugin{}
	}
	versions := maps.Clone(next.Plugins[plugin].Versions)
	if versions == nil {
		versions = map[string]Version{}
	}
	versions[version] = Version{Protocols: slices.Clone(v.Protocols), Summary: v.Summary, Files: files}
	next.Plugins[plugin] = Plugin{Versions: versions}
	if err := next.check(); err != nil {
		return err
	}
	*x = next
	return nil
}
