package lock

import (
	"maps"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/manifest/document"
)

// ProjectFile is the name of a project's lock file, UserFile of the user's.
const (
	ProjectFile = "proctor.lock"
	UserFile    = "plugins.lock"
)

// schema is the version of the format that this package reads and writes.
const schema = 1

// projectComment is what a project's lock file says to people who open it, userComment the
// user's.
const (
	projectComment = "Maintained by `proctor plugin`. Commit this file."
	userComment    = "Maintained by `proctor plugin`."
)

// File is the content of a lock file.
type File struct {
	Schema  int              `json:"schema"`
	Comment string           `json:"comment"`
	Plugins map[string]Entry `json:"plugins"`
}

// Entry is one plugin.
type Entry struct {
	Version string `json:"version"`
	// Constraint is what upgrades stay within; empty means any version.
	Constraint string `json:"constraint,omitempty"`
	// Source is where it came from, and comes from again: the address of an index,
	// "go:PACKAGE", or "local:" and an absolute path.
	Source string `json:"source"`
	// Signer is "minisign:" and the public key that signed the index; empty if nothing
	// was signed.
	Signer string `json:"signer,omitempty"`
	// ModuleSum is the hash of the Go module that the binary was built from, "h1:…".
	// The binary's own hash depends on the builder, and is in the receipt.
	ModuleSum string `json:"module_sum,omitempty"`
	// Hashes are by platform, all those in the index, so that a lock file written on
	// one system serves on another.
	Hashes map[manifest.Platform]Hashes `json:"hashes,omitempty"`
}

// Hashes are those of one platform. Each is "sha256:" and 64 hexadecimal digits; other
// schemes are kept but ignored.
type Hashes struct {
	Archive string `json:"archive,omitempty"`
	Bin     string `json:"bin"`
}

// HashScheme begins the hashes that count.
const HashScheme = "sha256:"

// Hash formats a SHA-256 hash, 64 hexadecimal digits, as in a lock file.
func Hash(sha256 string) string { return HashScheme + sha256 }

// Bin returns the hash, "sha256:…", that the binary for a platform must have. ok is
// false if the file has nothing for the platform, or a hash of an unknown scheme; then
// the binary cannot be checked and must not be launched.
func (e Entry) Bin(p manifest.Platform) (hash string, ok bool) {
	hash = e.Hashes[p].Bin
	if !strings.HasPrefix(hash, HashScheme) {
		return "", false
	}
	return hash, true
}

// Encode formats the file canonically, sorted and indented, so that differences in
// version control are differences in meaning.
func (f File) Encode() []byte { return document.Write(f.normal()) }

// normal returns the file as it is written, with the fields every lock file has.
func (f File) normal() File {
	if f.Schema == 0 {
		f.Schema = schema
	}
	if f.Comment == "" {
		f.Comment = projectComment
	}
	if f.Plugins == nil {
		f.Plugins = map[string]Entry{}
	}
	return f
}

// clone returns a deep copy.
func (f File) clone() File {
	f.Plugins = maps.Clone(f.Plugins)
	for name, entry := range f.Plugins {
		entry.Hashes = maps.Clone(entry.Hashes)
		f.Plugins[name] = entry
	}
	return f
}
