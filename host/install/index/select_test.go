package index

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/internal/property"
)

func shelf() Index {
	versions := map[string]Version{}
	for number, v := range map[string]Version{
		"0.2.0":      version("a", []int{1}, "linux_amd64"),
		"0.3.0":      version("b", []int{1}, "linux_amd64", "windows_amd64"),
		"0.10.0":     version("c", []int{1, 2}, "linux_amd64"),
		"0.11.0":     version("d", []int{2}, "darwin_arm64"),
		"1.0.0":      version("e", []int{3}, "linux_amd64"),
		"1.1.0-rc.1": version("f", []int{2}, "linux_amd64"),
	} {
		versions[number] = v
	}
	return Index{Schema: Schema, Plugins: map[string]Plugin{"forge": {Versions: versions}, "tap": {Versions: map[string]Version{"1.0.0": version("g", []int{1}, "linux_amd64")}}}}
}

func TestTheNewestMatchingVersionIsTaken(t *testing.T) {
	for _, c := range []struct {
		constraint string
		platform   manifest.Platform
		protocols  []int
		want       string
	}{
		{"", "linux_amd64", []int{1}, "0.10.0"},
		{"", "linux_amd64", []int{2}, "0.10.0"},
		{"", "linux_amd64", []int{3}, "1.0.0"},
		{"", "linux_amd64", []int{1, 2, 3}, "1.0.0"},
		{"", "windows_amd64", []int{1}, "0.3.0"},
		{"", "darwin_arm64", []int{2}, "0.11.0"},
		{"~> 0.2.0", "linux_amd64", []int{1}, "0.2.0"},
		{"< 0.10", "linux_amd64", []int{1}, "0.3.0"},
		{"1.1.0-rc.1", "linux_amd64", []int{2}, "1.1.0-rc.1"},
		{">= 1.1.0-rc.0", "linux_amd64", []int{2}, "1.1.0-rc.1"},
		{">= 1", "linux_amd64", []int{2}, ""},
		{"", "plan9_386", []int{1}, ""},
		{"", "linux_amd64", []int{4}, ""},
		{"", "linux_amd64", nil, ""},
	} {
		got, err := shelf().Select("forge", c.constraint, c.platform, c.protocols)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

func TestTheErrorSaysWhyVersionsWerePassedOver(t *testing.T) {
	_, err := shelf().Select("forge", "", "plan9_386", []int{2})
	none, ok := errors.AsType[*NoVersionError](err)
	if !ok {
		t.Fatal(err)
	}
	var got []string
	for _, p := range none.Passed {
		got = append(got, p.Version+" "+p.Reason)
	}
	want := []string{
		"1.1.0-rc.1 is a prerelease: name it with @1.1.0-rc.1",
		"1.0.0 speaks protocol 3, and this proctor 2: upgrade proctor",
		"0.11.0 is not available for plan9_386, only for darwin_arm64",
		"0.10.0 is not available for plan9_386, only for linux_amd64",
		"0.3.0 speaks protocol 1, and this proctor 2: it is older than this proctor, and a newer version of the plugin is needed",
		"0.2.0 speaks protocol 1, and this proctor 2: it is older than this proctor, and a newer version of the plugin is needed",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	if message := "the index has no version of forge that will do: " + strings.Join(want[:5], "; ") + "; and 1 more"; err.Error() != message {
		t.Error(err)
	}
	if _, err := shelf().Select("forge", "> 5", "linux_amd64", []int{1}); !strings.Contains(err.Error(), `forge "> 5" that will do: 1.1.0-rc.1 is not within "> 5"; `) {
		t.Error(err)
	}
}

func TestAMissingPluginIsReportedWithThoseThatExist(t *testing.T) {
	_, err := shelf().Select("cargo", "", "linux_amd64", []int{1})
	if none, ok := errors.AsType[*NoVersionError](err); !ok || len(none.Passed) != 0 || err.Error() != `the index has no plugin "cargo": it has forge, tap` {
		t.Error(err)
	}
	if _, err := (Index{}).Select("cargo", "", "linux_amd64", []int{1}); !strings.HasSuffix(err.Error(), "it has none") {
		t.Error(err)
	}
}

func TestAnInvalidConstraintHasItsOwnError(t *testing.T) {
	_, err := shelf().Select("forge", "latest", "linux_amd64", []int{1})
	if _, ok := errors.AsType[*manifest.ConstraintError](err); !ok {
		t.Error(err)
	}
}

func TestTheSelectedVersionFitsAndNoNewerOneDoes(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		x := indexes().Draw(t, "index")
		protocol := rapid.IntRange(1, 9).Draw(t, "protocol")
		const platform = "linux_amd64"
		for plugin, p := range x.Plugins {
			got, err := x.Select(plugin, "", platform, []int{protocol})
			var fit []string
			for number, v := range p.Versions {
				_, there := v.Files[platform]
				if there && slices.Contains(v.Protocols, protocol) && !strings.Contains(number, "-") {
					fit = append(fit, number)
				}
			}
			if len(fit) == 0 {
				if none, ok := errors.AsType[*NoVersionError](err); !ok || len(none.Passed) != len(p.Versions) {
					t.Fatal(err)
				}
				continue
			}
			if want := slices.MaxFunc(fit, manifest.CompareVersions); err != nil || got != want {
				t.Fatalf("got %s, want %s of %v; %v", got, want, fit, err)
			}
		}
	})
}
