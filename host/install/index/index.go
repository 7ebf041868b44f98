package index

import (
	"fmt"
	"maps"
	"slices"

	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/manifest/document"
)

// File is the name of an index, SignatureSuffix is appended for its signature, and
// KeyFile is the name of its publisher's key, beside it for the first use.
const (
	File            = "index.json"
	SignatureSuffix = ".minisig"
	KeyFile         = "minisign.pub"
)

// Schema is the version of the format that this package reads and writes.
const Schema = 1

// MaxSize is the longest index accepted, in bytes: several thousand versions.
const MaxSize = 16 << 20

// Index is the content of an index.
type Index struct {
	Schema  int               `json:"schema"`
	Plugins map[string]Plugin `json:"plugins"`
}

// Plugin is one plugin of an index. Versions are never removed or changed.
type Plugin struct {
	Versions map[string]Version `json:"versions"`
}

// Version is one version of a plugin.
type Version struct {
	Protocols []int                         `json:"protocols"`
	Summary   string                        `json:"summary,omitempty"`
	Files     map[manifest.Platform]Archive `json:"files"`
}

// Archive is where the archive of one platform is.
type Archive struct {
	// URL is slash-separated, relative to the index, and stays below it.
	URL string `json:"url"`
	// SHA256 is the hash of the archive, BinSHA256 of the binary in it: 64 lower-case
	// hexadecimal digits.
	SHA256    string `json:"sha256"`
	BinSHA256 string `json:"bin_sha256"`
}

// Encode formats it canonically.
func (x Index) Encode() []byte {
	if x.Schema == 0 {
		x.Schema = Schema
	}
	if x.Plugins == nil {
		x.Plugins = map[string]Plugin{}
	}
	return document.Write(x)
}

// Add adds a version, or platforms to an existing one. It changes nothing that exists:
// lock files have the hashes of a version. The error is an [*Error] if the index would
// become invalid. After an error the index is unchanged.
func (x *Index) Add(plugin, version string, v Version) error {
	changed := func(field string) error {
		return fmt.Errorf("%s has %s %s with another %s: a version is never changed, publish a new one", File, plugin, version, field)
	}
	files := maps.Clone(v.Files)
	if old, there := x.Plugins[plugin].Versions[version]; there {
		switch {
		case !slices.Equal(old.Protocols, v.Protocols):
			return changed("list of protocols")
		case old.Summary != v.Summary:
			return changed("summary")
		}
		for _, p := range slices.Sorted(maps.Keys(old.Files)) {
			if a, again := v.Files[p]; again && a != old.Files[p] {
				return changed("archive for " + string(p))
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
