package index

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/internal/property"
)

func TestVersionsAndPlatformsAreAdded(t *testing.T) {
	var x Index
	for _, step := range []struct {
		plugin, number string
		v              Version
	}{
		{"forge", "0.1.0", version("a", []int{1}, "linux_amd64")},
		{"forge", "0.2.0", version("b", []int{1, 2}, "linux_amd64")},
		{"forge", "0.1.0", version("a", []int{1}, "darwin_arm64")},
		{"forge", "0.1.0", version("a", []int{1}, "linux_amd64", "darwin_arm64")}, // nothing new
		{"tap", "1.0.0", version("c", []int{1}, "linux_amd64")},
	} {
		if err := x.Add(step.plugin, step.number, step.v); err != nil {
			t.Fatal(err)
		}
	}
	back, err := Parse(x.Encode())
	if err != nil {
		t.Fatal(err)
	}
	forge := back.Plugins["forge"].Versions
	if len(back.Plugins) != 2 || len(forge) != 2 || len(forge["0.1.0"].Files) != 2 || len(forge["0.2.0"].Files) != 1 {
		t.Errorf("%s", back.Encode())
	}
}

func TestWhatWasPublishedIsNeverChanged(t *testing.T) {
	var x Index
	if err := x.Add("forge", "0.1.0", version("a", []int{1}, "linux_amd64")); err != nil {
		t.Fatal(err)
	}
	before := x.Encode()
	protocols := version("a", []int{1, 2}, "linux_amd64")
	summary := version("a", []int{1}, "linux_amd64")
	summary.Summary = "another"
	address := version("b", []int{1}, "linux_amd64")
	hash := version("a", []int{1}, "linux_amd64", "darwin_arm64")
	archive := hash.Files["linux_amd64"]
	archive.SHA256 = threes
	hash.Files["linux_amd64"] = archive
	for field, v := range map[string]Version{"list of protocols": protocols, "summary": summary, "archive for linux_amd64": address} {
		err := x.Add("forge", "0.1.0", v)
		if err == nil || !strings.Contains(err.Error(), "with another "+field+": a version is never changed") {
			t.Errorf("%s: %v", field, err)
		}
	}
	if x.Add("forge", "0.1.0", hash) == nil {
		t.Error("a hash was changed")
	}
	for name, err := range map[string]error{
		"an invalid name":                x.Add("../x", "0.1.0", version("x", []int{1}, "linux_amd64")),
		"an invalid version":             x.Add("forge", "v1", version("x", []int{1}, "linux_amd64")),
		"no files":                       x.Add("forge", "0.2.0", version("x", []int{1})),
		"an address that is taken":       x.Add("forge", "0.2.0", Version{Protocols: []int{1}, Files: hash.Files}),
		"an address outside":             x.Add("forge", "0.2.0", version("..", []int{1}, "linux_amd64")),
		"no protocols in a new platform": x.Add("tap", "0.1.0", version("x", nil, "linux_amd64")),
	} {
		if _, ok := errors.AsType[*Error](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !bytes.Equal(before, x.Encode()) {
		t.Errorf("the index has changed: %s", x.Encode())
	}
}

func TestAddingWhatIsThereChangesNothing(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		x := indexes().Draw(t, "index")
		before := x.Encode()
		for plugin, p := range x.Plugins {
			for number, v := range p.Versions {
				if err := x.Add(plugin, number, v); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !bytes.Equal(before, x.Encode()) {
			t.Fatal("the index has changed")
		}
	})
}
