package manifest

import (
	"runtime"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/manifest/document"
	"github.com/proctorhq/proctor/internal/lazyregexp"
)

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

// BinaryPrefix begins the file name of every plugin binary.
const BinaryPrefix = "proctor-plugin-"

// namePattern matches plugin names. They are short, because they appear in paths, flags
// and error texts, and lower case, because some file systems fold case.
var namePattern = lazyregexp.New(`^[a-z][a-z0-9-]*$`)

// maxName bounds names. It is not part of the pattern: a bound compiles to that many
// copies.
const maxName = 32

// ValidName reports whether a plugin may have this name.
func ValidName(name string) bool { return len(name) <= maxName && namePattern.MatchString(name) }

// Platform is an operating system and a processor as Go names them: linux_amd64.
type Platform string

// ThisPlatform returns that of this process.
func ThisPlatform() Platform { return Platform(runtime.GOOS + "_" + runtime.GOARCH) }

var platformPattern = lazyregexp.New(`^[a-z0-9]+_[a-z0-9]+$`)

// Valid reports whether it has the form of a platform, known or not.
func (p Platform) Valid() bool { return len(p) <= maxName && platformPattern.MatchString(string(p)) }

// BinaryName returns the file name of a plugin's binary on a platform.
func BinaryName(plugin string, p Platform) string {
	if strings.HasPrefix(string(p), "windows_") {
		return BinaryPrefix + plugin + ".exe"
	}
	return BinaryPrefix + plugin
}

// ReadDocument reads a plugin document whose schema must be own, by calling read, which
// stores its schema in *schema. Another schema is reported before any other problem,
// since the rest of the document may then have any form. The error is a [*SchemaError],
// or a [*document.Error].
func ReadDocument(data []byte, max int, name string, own int, schema *int, read func(*document.Reader) error) error {
	err := document.Read(data, max, read)
	if err == nil && *schema == own {
		return nil
	}
	if wrong := checkSchema(data, max, name, own); wrong != nil {
		return wrong
	}
	return err
}

// checkSchema reads only the schema.
func checkSchema(data []byte, max int, name string, own int) error {
	schema, found := 0, false
	err := document.Read(data, max, func(r *document.Reader) error {
		return r.Object(document.Fields{"schema": func() error {
			found = true
			return r.Number(&schema)
		}})
	})
	switch {
	case err != nil:
		return err
	case !found:
		return &document.Error{Field: "schema", Line: 1, Reason: "is missing"}
	case schema < 1:
		return &document.Error{Field: "schema", Line: document.Line(data, "schema"), Reason: "must be 1 or more"}
	case schema != own:
		return &SchemaError{Document: name, Schema: schema, Own: own}
	}
	return nil
}
