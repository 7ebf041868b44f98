package manifest

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/hashicorp/go-version"

	"github.com/proctorhq/proctor/host/plugin/manifest/document"
)

// versionPattern is a semantic version (semver.org) in its one canonical form. It is
// lower case, because some file systems fold case, and a version is the name of a
// directory.
var versionPattern = regexp.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9a-z-]+(\.[0-9a-z-]+)*)?(\+[0-9a-z-]+(\.[0-9a-z-]+)*)?$`)

// maxVersion is how long a version may be, in bytes: those that Go makes of commits
// have 40.
const maxVersion = 64

// ValidVersion reports whether a plugin may have this version: a semantic version
// without a leading v, in lower case. It is safe as an element of a path.
func ValidVersion(v string) bool {
	if len(v) > maxVersion || !versionPattern.MatchString(v) {
		return false
	}
	parsed, err := version.NewSemver(v)
	return err == nil && parsed.String() == v
}

// CompareVersions orders two valid versions, the older first. Those that differ in
// build metadata alone are ordered by it, so that no two are equal.
func CompareVersions(a, b string) int {
	x, errX := version.NewSemver(a)
	y, errY := version.NewSemver(b)
	if errX != nil || errY != nil {
		return strings.Compare(a, b)
	}
	return cmp.Or(x.Compare(y), strings.Compare(a, b))
}

// IsPrerelease reports whether a valid version is one that came before a release.
func IsPrerelease(v string) bool {
	parsed, err := version.NewSemver(v)
	return err == nil && parsed.Prerelease() != ""
}

// Constraint says which versions are wanted.
type Constraint struct {
	text  string
	parts version.Constraints
	// prereleases reports whether it names one.
	prereleases bool
}

// maxConstraint is how long a constraint may be, in bytes.
const maxConstraint = 256

// ParseConstraint reads a constraint as hashicorp/go-version understands it, such as
// "~> 0.3" or ">= 1.2, < 2"; empty is any version. The error is a
// [*ConstraintError].
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

// Allows reports whether a valid version is within the constraint. A prerelease is
// only where the constraint names one. A constraint that is one version means that
// one, also where another differs in build metadata alone.
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

// exactly is a constraint that is one version.
var exactly = regexp.MustCompile(`^(?:=\s*)?v?([0-9]+\.[0-9]+\.[0-9]+(?:[-+].*)?)$`)

// ExactVersion returns the version that a constraint names, where it names one:
// "1.2.3", "= 1.2.3" or "v1.2.3". Whoever writes that means no other, while several
// versions may be within any other constraint.
func ExactVersion(constraint string) (version string, ok bool) {
	found := exactly.FindStringSubmatch(strings.TrimSpace(constraint))
	if found == nil || !ValidVersion(found[1]) {
		return "", false
	}
	return found[1], true
}
