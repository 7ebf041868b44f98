package manifest

// File is the name of a manifest, in an archive and where a plugin is installed.
const File = "manifest.json"

// Schema is the version of the format that this package reads and writes.
const Schema = 1

// TLS modes of a manifest.
const (
	// TLSAuto means that the plugin serves TLS if the host asks for it.
	TLSAuto = "auto"
	// TLSNone means that it never does, so it works only over Unix sockets.
	TLSNone = "none"
)

// Manifest describes one version of a plugin.
type Manifest struct {
	Schema  int    `json:"schema"`
	Name    string `json:"name"`
	Version string `json:"version"`
	// Protocols are the major versions of the detector protocol that it speaks.
	Protocols []int `json:"protocols"`
	// Source is the index that the author publishes it in; empty if none.
	Source  string `json:"source,omitempty"`
	Summary string `json:"summary,omitempty"`
	Detect  Detect `json:"detect"`
	// Platforms has an entry for each platform with a binary. In an archive for one
	// platform, only its own is required.
	Platforms map[Platform]Binary `json:"platforms"`
	// TLS is TLSAuto or TLSNone; empty means TLSAuto.
	TLS string `json:"tls,omitempty"`
}

// Detect says which directories may be projects in the plugin's language.
type Detect struct {
	// AnyFile are file names, any one of which suffices.
	AnyFile []string `json:"any_file,omitempty"`
}

// Binary is a plugin's program for one platform.
type Binary struct {
	// Bin is its file name, which is [BinaryName]: it is spelled out for other readers.
	Bin string `json:"bin"`
	// SHA256 is the hash of its content, 64 lower-case hexadecimal digits.
	SHA256 string `json:"sha256"`
}
