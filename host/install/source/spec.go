package source

import (
	"net/url"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// Kind is a kind of source.
type Kind int

// The kinds.
const (
	// Local is a directory or an archive.
	Local Kind = iota + 1
	// Index is an index.json.
	Index
	// GoModule is a package of a Go module.
	GoModule
	// Named is the name of a plugin whose source a lock file knows.
	Named
)

// How a lock file writes sources that are not addresses: LocalPrefix begins a path.
const (
	LocalPrefix  = "local:"
	modulePrefix = "go:"
)

// Spec is what a user wrote to name a plugin:
//
//	a directory or archive   ./dir  ./x.tar.gz
//	an index                 file:///dir/index.json[#NAME]  https://host/index.json[#NAME]
//	a Go package             go:example.com/mod/cmd/proctor-plugin-x
//	a locked plugin          NAME
//
// each optionally followed by @CONSTRAINT, where @latest means any version. A path
// begins with a dot or a slash (on Windows also with a backslash or a drive), so that
// no file can change what a name means. One that ends like a constraint needs a
// trailing slash: ./plugin@1.0/.
type Spec struct {
	Kind Kind
	// Address is the path, the URL without fragment, the package path or the name.
	Address string
	// Name is the fragment of an index, or what follows proctor-plugin- in a package
	// path; else empty.
	Name       string
	Constraint string
}

// Parse parses a specification. It keeps relative paths, and accesses no file. The
// error is a [*SpecError].
func Parse(text string) (Spec, error) { return parse(text, onWindows) }

// FromLock returns the specification of a lock file's entry.
func FromLock(name, source, version string) (Spec, error) {
	if !manifest.ValidName(name) {
		return Spec{}, &SpecError{Text: clip(name), Reason: "it is not the name of a plugin"}
	}
	if !isConstraint(version) {
		return Spec{}, &SpecError{Text: clip(name + "@" + version), Reason: "it has no version"}
	}
	if err := checkText(source); err != nil {
		return Spec{}, err
	}
	var spec Spec
	var err error
	switch path, isLocal := strings.CutPrefix(source, LocalPrefix); {
	case isLocal && !isAbsolute(path, onWindows):
		// From another directory it would be another plugin.
		err = &SpecError{Text: clip(source), Reason: "a path in a lock file must be absolute, because a relative one means something else in each directory; install the plugin from its path again"}
	case isLocal:
		spec = Spec{Kind: Local, Address: path}
	case strings.HasPrefix(source, modulePrefix):
		spec, err = parseModule(source)
	case isURL(source):
		spec, err = parseIndex(source)
	default:
		err = &SpecError{Text: redacted(source), Reason: "a lock file's source is an address, go:PACKAGE or local:PATH"}
	}
	if err != nil {
		return Spec{}, err
	}
	spec.Name, spec.Constraint = name, version
	return spec, nil
}

// Path returns where a plugin or index is on this machine; ok is false if it is
// elsewhere.
func (s Spec) Path() (path string, ok bool) {
	if s.Kind == Local {
		return s.Address, true
	}
	if u, err := url.Parse(s.Address); s.Kind == Index && err == nil && u.Scheme == "file" {
		return fileOf(u.Path, onWindows), true
	}
	return "", false
}

// Locked returns the source as a lock file writes it: an index's address, "go:PACKAGE"
// or "local:PATH". The caller makes a relative path absolute.
func (s Spec) Locked() string {
	switch s.Kind {
	case Local:
		return LocalPrefix + s.Address
	case GoModule:
		return modulePrefix + s.Address
	case Index:
		return s.Address
	}
	return ""
}
