package index

import (
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
