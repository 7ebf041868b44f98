package manifest

// File is a manifest's name, in an archive and where a plugin is installed.
const File = "manifest.json"

// Schema is the version of the format that this package reads and writes.
const Schema = 1

// TLS modes of a manifest.
const (
	// TLSAuto: the plugin serves TLS where the host asks for it.
	TLSAuto = "auto"
	// TLSNone: it never does, so it works over Unix sockets alone.
	TLSNone = "none"
)

// Manifest describes one version of a plugin.
type Manifest struct {
	Schema  int    `json:"schema"`
	Name    string `json:"name"`
	Version string `json:"version"`
	// Protocols are the major versions of the detector protocol that it speaks.
	Protocols []int `json:"protocols"`
	// Source is the index that the author publishes it in; empty is nowhere.
	Source  string `json:"source,omitempty"`
	Summary string `json:"summary,omitempty"`
	Detect  Detect `json:"detect"`
	// Platforms has an entry for each platform there is a binary for. In an
	// archive that is of one platform, only its own need be there.
	Platforms map[Platform]Binary `json:"platforms"`
	// TLS is TLSAuto or TLSNone; empty is TLSAuto.
	TLS string `json:"tls,omitempty"`
}

// Detect says which directories may be projects of the plugin's language.
type Detect struct {
	// AnyFile are file names of which one suffices.
	AnyFile []string `json:"any_file,omitempty"`
}

// Binary is a plugin's program for one platform.
type Binary struct {
	// Bin is its file name, which is [BinaryName]: it is written out for readers
	// other than this one.
	Bin string `json:"bin"`
	// SHA256 is the hash of its content, 64 lower-case hexadecimal digits.
	SHA256 string `json:"sha256"`
}
