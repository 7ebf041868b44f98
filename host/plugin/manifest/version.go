package manifest

import (
	"cmp"
	"strings"

	"github.com/hashicorp/go-version"

	"github.com/proctorhq/proctor/host/plugin/manifest/document"
	"github.com/proctorhq/proctor/internal/lazyregexp"
)

// versionPattern matches a semantic version (semver.org) in its canonical form. It is
// lower case, because some file systems fold case, and a version is the name of a
// directory.
var versionPattern = lazyregexp.New(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9a-z-]+(\.[0-9a-z-]+)*)?(\+[0-9a-z-]+(\.[0-9a-z-]+)*)?$`)

// maxVersion bounds a version, in bytes: those that Go makes of commits have 40.
const maxVersion = 64

// ValidVersion reports whether v is a valid plugin version: a semantic version without
// a leading v, in lower case. It is safe as a path element.
func ValidVersion(v string) bool {
	if len(v) > maxVersion || !versionPattern.MatchString(v) {
		return false
	}
	parsed, err := version.NewSemver(v)
	return err == nil && parsed.String() == v
}

// CompareVersions orders two valid versions, older first. Build metadata breaks ties,
// so that no two are equal.
func CompareVersions(a, b string) int {
	x, errX := version.NewSemver(a)
	y, errY := version.NewSemver(b)
	if errX != nil || errY != nil {
		return strings.Compare(a, b)
	}
	return cmp.Or(x.Compare(y), strings.Compare(a, b))
}

// IsPrerelease reports whether a valid version is a prerelease.
func IsPrerelease(v string) bool {
	parsed, err := version.NewSemver(v)
	return err == nil && parsed.Prerelease() != ""
}

// Constraint says which versions are acceptable.
type Constraint struct {
	text  string
	parts version.Constraints
	// prereleases reports whether it names a prerelease.
	prereleases bool
}

// maxConstraint bounds a constraint, in bytes.
const maxConstraint = 256

// ParseConstraint parses a constraint as hashicorp/go-version does, such as "~> 0.3" or
// ">= 1.2, < 2"; empty means any version. The error is a [*ConstraintError].
func ParseConstraint(text string) (Constraint, error) {
	c := Constraint{text: strings.TrimSpace(text)}
	if c.text == "" {
		return c, nil
	}
	fault := document.TextFault(c.text, maxConstraint)
	if fault == "" {
		parts, err := version.NewConstraint(c.text)
		if err == nil {
			c.parts = parts
			for _, part := range parts {
				c.prereleases = c.prereleases || part.Prerelease()
			}
			return c, nil
		}
		fault = `is not understood: write for example "1.2.3", "~> 1.2" or ">= 1.2, < 2"`
	}
	return Constraint{}, &ConstraintError{Text: text, Reason: fault}
}

// Allows reports whether a valid version satisfies the constraint. Prereleases only do
// if the constraint names one. A constraint that is a single version means exactly
// that, including build metadata.
func (c Constraint) Allows(v string) bool {
	parsed, err := version.NewSemver(v)
	if err != nil || parsed.Prerelease() != "" && !c.prereleases {
		return false
	}
	if exact, ok := ExactVersion(c.text); ok {
		return v == exact
	}
	return c.parts.Check(parsed)
}

func (c Constraint) String() string { return c.text }

// exactly matches a constraint that is a single version.
var exactly = lazyregexp.New(`^(?:=\s*)?v?([0-9]+\.[0-9]+\.[0-9]+(?:[-+].*)?)$`)

// ExactVersion returns the version if a constraint is a single one: "1.2.3", "= 1.2.3"
// or "v1.2.3". It means no other, while any other constraint may allow several.
func ExactVersion(constraint string) (version string, ok bool) {
	found := exactly.FindStringSubmatch(strings.TrimSpace(constraint))
	if found == nil || !ValidVersion(found[1]) {
		return "", false
	}
	return found[1], true
}
