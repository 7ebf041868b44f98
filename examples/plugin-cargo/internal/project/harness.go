package project

import (
	"io"
	"os"

	"github.com/pelletier/go-toml/v2"
)

// maxManifest bounds how many bytes of a manifest are read: far above any real one.
const maxManifest = 1 << 20

// harness has the fields of a Cargo.toml that say which targets have a main function of
// their own. cargo metadata does not report them.
type harness struct {
	Lib     harnessTarget   `toml:"lib"`
	Bin     []harnessTarget `toml:"bin"`
	Test    []harnessTarget `toml:"test"`
	Example []harnessTarget `toml:"example"`
	Bench   []harnessTarget `toml:"bench"`
}

type harnessTarget struct {
	Name    string `toml:"name"`
	Harness *bool  `toml:"harness"`
}

// readHarness reads a manifest. One that cannot be read declares nothing: then every
// target is expected to print what libtest prints, which is the safe assumption.
func readHarness(manifest string) harness {
	file, err := os.Open(manifest)
	if err != nil {
		return harness{}
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return harness{}
	}
	var h harness
	if err := toml.NewDecoder(io.LimitReader(file, maxManifest)).Decode(&h); err != nil {
		return harness{}
	}
	return h
}

func (h harness) hasHarness(kind, name string) bool {
	list := map[string][]harnessTarget{
		KindLib: {{Name: name, Harness: h.Lib.Harness}},
		"bin":   h.Bin, "test": h.Test, "example": h.Example, "bench": h.Bench,
	}[kind]
	for _, t := range list {
		if t.Name == name && t.Harness != nil {
			return *t.Harness
		}
	}
	return true
}
