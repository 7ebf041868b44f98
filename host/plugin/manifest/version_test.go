package manifest

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/internal/property"
)

func TestAVersionIsSemanticCanonicalAndSafeInAPath(t *testing.T) {
	for v, want := range map[string]bool{
		"0.0.0":                               true,
		"1.2.3":                               true,
		"1.2.3-rc.1":                          true,
		"1.2.3-0.20260101000000-abcdef123456": true,
		"2.0.0+incompatible":                  true,
		"1.2.3-a-b.1+c.2":                     true,
		"":                                    false,
		"1":                                   false,
		"1.2":                                 false,
		"1.2.3.4":                             false,
		"v1.2.3":                              false,
		"01.2.3":                              false,
		"1.2.3-":                              false,
		"1.2.3-RC1":                           false,
		"1.2.3rc1":                            false,
		"1.2.3-a..b":                          false,
		"1.2.3-../..":                         false,
		"1.2.3/..":                            false,
		`1.2.3\..`:                            false,
		"..":                                  false,
		" 1.2.3":                              false,
		"1.2.3\n":                             false,
		"1.2.3-~1":                            false,
		"99999999999999999999.0.0":            false,
		"1.0.0-" + strings.Repeat("a", 58):    true,
		"1.0.0-" + strings.Repeat("a", 59):    false,
		"1.2.3-\u0661":                        false,
	} {
		if ValidVersion(v) != want {
			t.Errorf("%q is valid: %v", v, !want)
		}
	}
}

func TestVersionsHaveOneOrder(t *testing.T) {
	ordered := []string{"0.9.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.0+a", "1.0.0+b", "1.2.0", "1.10.0"}
	for i, a := range ordered {
		for j, b := range ordered {
			if got := CompareVersions(a, b); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("%s and %s: %d", a, b, got)
			}
		}
	}
}

func TestEveryPairOfVersionsIsOrderedOneWay(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		a, b := versions().Draw(t, "a"), versions().Draw(t, "b")
		if !ValidVersion(a) || !filepath.IsLocal(a) || filepath.Base(a) != a {
			t.Fatalf("%q is not a version for a path", a)
		}
		if there, back := CompareVersions(a, b), CompareVersions(b, a); there != -back || (there == 0) != (a == b) {
			t.Fatalf("%s and %s: %d and %d", a, b, there, back)
		}
	})
}

func TestConstraints(t *testing.T) {
	for _, c := range []struct {
		text, allowed, refused string
	}{
		{"", "0.1.0 9.9.9", "1.0.0-rc.1"},
		{" ", "0.1.0", "1.0.0-rc.1"},
		{"1.2.3", "1.2.3", "1.2.4 1.2.3-rc.1 1.2.3+a"},
		{"= 1.2.3", "1.2.3", "1.2.4"},
		{"~> 0.3", "0.3.0 0.3.9 0.4.0 0.99.0", "0.2.9 1.0.0 0.4.0-rc.1"},
		{"~> 0.3.1", "0.3.1 0.3.9", "0.3.0 0.4.0"},
		{">= 1.2, < 2", "1.2.0 1.99.0", "1.1.9 2.0.0 2.0.0-rc.1 1.3.0-rc.1"},
		{"!= 1.2.3", "1.2.4", "1.2.3 1.3.0-rc.1"},
		{"1.2.3-rc.1", "1.2.3-rc.1", "1.2.3 1.2.3-rc.2"},
		{">= 1.2.3-rc.1", "1.2.3-rc.1 1.2.3-rc.2 1.2.3 1.3.0", "1.2.3-beta.1 1.3.0-rc.1"},
		{"1.0.0+a", "1.0.0+a", "1.0.0 1.0.0+b"},
		{"=1.0.0+a", "1.0.0+a", "1.0.0 1.0.0+b"},
	} {
		parsed, err := ParseConstraint(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		for _, v := range strings.Fields(c.allowed) {
			if !parsed.Allows(v) {
				t.Errorf("%q does not allow %s", c.text, v)
			}
		}
		for _, v := range strings.Fields(c.refused + " nonsense") {
			if parsed.Allows(v) {
				t.Errorf("%q allows %s", c.text, v)
			}
		}
	}
}

func TestAnInvalidConstraintIsReportedWithAnExample(t *testing.T) {
	for _, bad := range []string{"latest", "^1.2", "1.2.x", ">= 1,", "\x1b", strings.Repeat("1", 300), "~>"} {
		_, err := ParseConstraint(bad)
		if _, ok := errors.AsType[*ConstraintError](err); !ok {
			t.Errorf("%q: %v", bad, err)
			continue
		}
		if message := err.Error(); len(message) > 300 || strings.Contains(message, "\x1b") {
			t.Errorf("%q", message)
		}
	}
}

func TestTheErrorSaysWhichSideToUpgradeAndHow(t *testing.T) {
	for _, c := range []struct {
		speaks, host []int
		locked       bool
		want         string
	}{
		{[]int{1}, []int{1}, false, ""},
		{[]int{1, 3}, []int{2, 3}, true, ""},
		{[]int{1}, []int{2}, false, "plugin forge 0.3.1 speaks protocol 1, and this proctor 2: the plugin is older, take a newer version of it, or ask its publisher for one"},
		{[]int{2}, []int{1}, false, "plugin forge 0.3.1 speaks protocol 2, and this proctor 1: the plugin is newer, upgrade proctor, or take an older version of the plugin"},
		{[]int{1}, []int{2}, true, "plugin forge 0.3.1 speaks protocol 1, and this proctor 2: the plugin is older, upgrade it: proctor plugin upgrade forge"},
		{[]int{2}, []int{1, 3}, true, "plugin forge 0.3.1 speaks protocol 2, and this proctor 1 and 3: the plugin is older, upgrade it: proctor plugin upgrade forge"},
		{[]int{2, 3, 4}, []int{1}, true, `plugin forge 0.3.1 speaks protocol 2, 3 and 4, and this proctor 1: the plugin is newer, upgrade proctor, or install an older version: proctor plugin install "forge@< 0.3.1"`},
	} {
		err := Manifest{Name: "forge", Version: "0.3.1", Protocols: c.speaks}.Compatible(c.host)
		other, ok := errors.AsType[*ProtocolError](err)
		got := ""
		if ok {
			// Only a locked plugin has a source known by its name.
			other.Locked = c.locked
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v and %v: %s", c.speaks, c.host, got)
		}
		if ok != (c.want != "") {
			t.Errorf("the error is a %T", err)
		}
	}
}

func TestAVersionIsDistinguishedFromAConstraint(t *testing.T) {
	for text, want := range map[string]string{
		"1.2.3": "1.2.3", "= 1.2.3": "1.2.3", "=1.2.3": "1.2.3", "v1.2.3": "1.2.3", " 1.2.3-rc.1 ": "1.2.3-rc.1", "1.2.3+b1": "1.2.3+b1",
		"": "", "1.2": "", "~> 1.2.3": "", ">= 1.2.3": "", "1.2.3, 1.2.4": "", "!= 1.2.3": "", "01.2.3": "",
	} {
		if got, ok := ExactVersion(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
}
