package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/manifest/document"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/internal/lazyregexp"
)

// The bounds of a manifest. Each is several times what any plugin needs, and small
// enough to be shown.
const (
	maxProtocols = 16
	// maxPlatforms bounds platforms: Go itself knows fewer than 50.
	maxPlatforms = 64
	maxAnyFile   = 64
	// MaxSummary and MaxSource are in bytes.
	MaxSummary = 500
	MaxSource  = 2048
	// maxFileName is what file systems allow.
	maxFileName = 255
)

// Check applies the checks of [Parse] to a manifest about to be written.
func (m Manifest) Check() error {
	switch {
	case m.Schema != Schema:
		return &Error{"schema", "must be " + strconv.Itoa(Schema)}
	case !ValidName(m.Name):
		return &Error{"name", NameFault(m.Name)}
	case !ValidVersion(m.Version):
		return &Error{"version", VersionFault(m.Version)}
	case m.TLS != "" && m.TLS != TLSAuto && m.TLS != TLSNone:
		return &Error{"tls", fmt.Sprintf("must be %q or %q, and is %s", TLSAuto, TLSNone, prose.Quote(m.TLS))}
	}
	if fault := ProtocolsFault(m.Protocols); fault != "" {
		return &Error{"protocols", fault}
	}
	if fault := document.TextFault(m.Source, MaxSource); fault != "" {
		return &Error{"source", fault}
	}
	if fault := document.TextFault(m.Summary, MaxSummary); fault != "" {
		return &Error{"summary", fault}
	}
	if err := m.Detect.check(); err != nil {
		return err
	}
	return m.checkPlatforms()
}

// NameFault says what is wrong with an invalid plugin name.
// invalid version.
func NameFault(name string) string {
	if name == "" {
		return "is missing"
	}
	return fmt.Sprintf("must be lower-case letters, digits and hyphens, at most %d, a letter first, and is %s", maxName, prose.Quote(name))
}

// VersionFault says what is wrong with an invalid version.
func VersionFault(version string) string {
	if version == "" {
		return "is missing"
	}
	return "must be a semantic version in lower case, such as 1.2.3 or 1.2.3-rc.1, and is " + prose.Quote(version)
}

// ProtocolsFault says what is wrong with a list of protocols, or nothing.
func ProtocolsFault(protocols []int) string {
	switch {
	case len(protocols) == 0:
		return "must have at least one protocol"
	case len(protocols) > maxProtocols:
		return fmt.Sprintf("has %d protocols; the limit is %d", len(protocols), maxProtocols)
	}
	for i, p := range protocols {
		switch {
		case p < 1:
			return fmt.Sprintf("has %d, and a protocol is 1 or more", p)
		case slices.Contains(protocols[:i], p):
			return fmt.Sprintf("has %d twice", p)
		}
	}
	return ""
}

// PlatformsFault says what is wrong with the platforms of a document, or nothing.
func PlatformsFault[V any](platforms map[Platform]V) string {
	switch {
	case len(platforms) == 0:
		return "must have at least one platform"
	case len(platforms) > maxPlatforms:
		return fmt.Sprintf("has %d platforms; the limit is %d", len(platforms), maxPlatforms)
	}
	for _, p := range slices.Sorted(maps.Keys(platforms)) {
		if !p.Valid() {
			return "has " + prose.Quote(string(p)) + ", and a platform is written like linux_amd64"
		}
	}
	return ""
}

var sha256Pattern = lazyregexp.New(`^[0-9a-f]+$`)

// sha256Digits is the length of a SHA-256 hash in hexadecimal digits.
const sha256Digits = 64

// ValidSHA256 reports whether a text is a SHA-256 hash: 64 lower-case hexadecimal
// digits.
func ValidSHA256(text string) bool {
	return len(text) == sha256Digits && sha256Pattern.MatchString(text)
}

// SHA256Fault says what is wrong with an invalid hash.
func SHA256Fault(text string) string {
	if text == "" {
		return "is missing"
	}
	return fmt.Sprintf("must be %d lower-case hexadecimal digits, and is %s", sha256Digits, prose.Quote(text))
}

func (d Detect) check() error {
	const field = "detect.any_file"
	if len(d.AnyFile) > maxAnyFile {
		return &Error{field, fmt.Sprintf("has %d names; the limit is %d", len(d.AnyFile), maxAnyFile)}
	}
	for i, name := range d.AnyFile {
		if !plainFileName(name) {
			return &Error{field, "has " + prose.Quote(name) + ", and must have names of files, without directories and patterns"}
		}
		if slices.Contains(d.AnyFile[:i], name) {
			return &Error{field, "has " + prose.Quote(name) + " twice"}
		}
	}
	return nil
}

// plainFileName reports whether a file may have the name on every system. Such a name
// is not a path anywhere, nor a pattern, which an author might expect to work.
func plainFileName(name string) bool {
	return name != "" && document.TextFault(name, maxFileName) == "" &&
		!strings.ContainsAny(name, `/\:*?"<>|`) && !strings.HasSuffix(name, ".") && !strings.HasSuffix(name, " ")
}

func (m Manifest) checkPlatforms() error {
	if fault := PlatformsFault(m.Platforms); fault != "" {
		return &Error{"platforms", fault}
	}
	for _, p := range slices.Sorted(maps.Keys(m.Platforms)) {
		field, b := document.Path("platforms", string(p)), m.Platforms[p]
		if want := BinaryName(m.Name, p); b.Bin != want {
			return &Error{field + ".bin", "must be " + want + ", and is " + prose.Quote(b.Bin)}
		}
		if !ValidSHA256(b.SHA256) {
			return &Error{field + ".sha256", SHA256Fault(b.SHA256)}
		}
	}
	return nil
}
