package lock

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/manifest/document"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/internal/lazyregexp"
)

const (
	// maxComment and maxOpaque, which applies to hashes and keys of any scheme, are in
	// bytes.
	maxComment = 500
	maxOpaque  = 500
	// maxPlugins is more than there are languages.
	maxPlugins = 1000
)

// SignerScheme begins known signers: a public key follows.
const SignerScheme = "minisign:"

// sumScheme begins known module sums.
const sumScheme = "h1:"

// The decoded lengths of what follows: algorithm, key id and an Ed25519 key; a SHA-256
// hash.
const (
	signerLength = 2 + 8 + 32
	sumLength    = 32
)

// opaque is a text of any scheme.
var opaque = lazyregexp.New(`^[a-z][a-z0-9-]*:[!-~]+$`)

// fault says what is wrong with a file, or nil.
func (f File) fault() *document.Error {
	switch {
	case f.Schema != schema:
		return &document.Error{Field: "schema", Reason: "must be 1"}
	case document.TextFault(f.Comment, maxComment) != "":
		return &document.Error{Field: "comment", Reason: document.TextFault(f.Comment, maxComment)}
	case len(f.Plugins) > maxPlugins:
		return &document.Error{Field: "plugins", Reason: "has more than a thousand plugins"}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Plugins)) {
		field, reason := "", manifest.NameFault(name)
		if manifest.ValidName(name) {
			field, reason = f.Plugins[name].fault()
		}
		if reason != "" {
			path := document.Path("plugins", name)
			if field != "" {
				path += "." + field
			}
			return &document.Error{Field: path, Reason: reason}
		}
	}
	return nil
}

// fault says which field of an entry is wrong and why, or nothing.
func (e Entry) fault() (field, reason string) {
	if !manifest.ValidVersion(e.Version) {
		return "version", manifest.VersionFault(e.Version)
	}
	if _, err := manifest.ParseConstraint(e.Constraint); err != nil {
		return "constraint", "is invalid: " + err.Error()
	}
	if e.Source == "" {
		return "source", "is missing"
	}
	if fault := document.TextFault(e.Source, manifest.MaxSource); fault != "" {
		return "source", fault
	}
	if !isEncoded(e.Signer, SignerScheme, signerLength) {
		return "signer", `must be "minisign:" and a public key, and is ` + prose.Quote(e.Signer)
	}
	if !isEncoded(e.ModuleSum, sumScheme, sumLength) {
		return "module_sum", `must be "h1:" and a hash of a Go module, and is ` + prose.Quote(e.ModuleSum)
	}
	return e.hashFault()
}

func (e Entry) hashFault() (field, reason string) {
	if len(e.Hashes) == 0 {
		return "", ""
	}
	if fault := manifest.PlatformsFault(e.Hashes); fault != "" {
		return "hashes", fault
	}
	for _, p := range slices.Sorted(maps.Keys(e.Hashes)) {
		h, path := e.Hashes[p], document.Path("hashes", string(p))
		if h.Bin == "" {
			return path + ".bin", "is missing"
		}
		if !validHash(h.Bin) {
			return path + ".bin", hashFault(h.Bin)
		}
		if h.Archive != "" && !validHash(h.Archive) {
			return path + ".archive", hashFault(h.Archive)
		}
	}
	return "", ""
}

// isEncoded reports whether a text is empty, of another scheme, or of this one followed
// by length bytes in base64.
func isEncoded(text, scheme string, length int) bool {
	if text == "" {
		return true
	}
	if len(text) > maxOpaque || !opaque.MatchString(text) {
		return false
	}
	rest, known := strings.CutPrefix(text, scheme)
	if !known {
		return true
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(rest)
	return err == nil && len(raw) == length
}

func validHash(hash string) bool {
	if digits, known := strings.CutPrefix(hash, HashScheme); known {
		return manifest.ValidSHA256(digits)
	}
	return len(hash) <= maxOpaque && opaque.MatchString(hash)
}

func hashFault(hash string) string {
	return `must be "sha256:" and 64 lower-case hexadecimal digits, and is ` + prose.Quote(hash)
}
