package composition_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
	"github.com/proctorhq/proctor/plugins/forge/internal/composition"
)

const suite = "test/T.t.sol:T"

// compiledProject returns a project as forge leaves it: a test that imports A, which
// imports B.
func compiledProject() map[string]string {
	const built = `{"abi":[],"bytecode":{"object":"0x6001","linkReferences":{}},"methodIdentifiers":{}}`
	return map[string]string{
		"test/T.t.sol":        "import \"../src/A.sol\"; contract T {}",
		"src/A.sol":           "import \"./B.sol\"; contract A {}",
		"src/B.sol":           "",
		"out/T.t.sol/T.json":  built,
		"out/A.sol/A.json":    built,
		"out/Old.sol/T8.json": strings.Replace(built, "0x6001", "0x6360f9bb11", 1), // calls readFile(string)
		"cache/solidity-files-cache.json": `{"files":{
			"test/T.t.sol":{"imports":["src/A.sol"],"artifacts":{"T":{"0.8.30":{"default":{"path":"T.t.sol/T.json"}}}}},
			"src/A.sol":{"imports":["src/B.sol"],"artifacts":{"A":{"0.8.30":{"default":{"path":"A.sol/A.json"}}}}},
			"src/B.sol":{"imports":[],"artifacts":{}}}}`,
	}
}

// readProject writes a project, with the index last, and reads it.
func readProject(t *testing.T, files map[string]string, change func(root string)) *composition.Composition {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		// The index must not be older than the other files.
		at := time.Now().Add(-time.Hour)
		if strings.HasSuffix(name, ".sol") {
			at = at.Add(-time.Hour)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if change != nil {
		change(root)
	}
	c, err := composition.Read(t.Context(), composition.Config{Artifacts: artifact.Config{Root: root}, Folders: []string{"src", "test"}, Compiler: "tools/solc"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestASuiteIsOpaqueIfTheCompilersIndexIsOutdated(t *testing.T) {
	index := "cache/solidity-files-cache.json"
	for name, test := range map[string]struct {
		files  map[string]string
		change func(root string)
		want   string // "" if nothing is opaque
	}{
		"all as it was": {},
		"an import changed since": {change: func(root string) {
			if err := os.WriteFile(filepath.Join(root, "src", "B.sol"), []byte("x"), 0o600); err != nil {
				t.Error(err)
			}
		}, want: "src/B.sol"},
		"an import is gone": {change: func(root string) {
			if err := os.Remove(filepath.Join(root, "src", "B.sol")); err != nil {
				t.Error(err)
			}
		}, want: "src/B.sol"},
		"no index":                      {files: map[string]string{index: ""}, want: "no index"},
		"an import is not in the index": {files: map[string]string{index: strings.Replace(compiledProject()[index], `"src/B.sol":{"imports":[],"artifacts":{}}`, `"src/C.sol":{}`, 1)}, want: "src/B.sol"},
		"the suite is not":              {files: map[string]string{index: `{"files":{}}`}, want: "test/T.t.sol"},
		"no artifact":                   {files: map[string]string{"out/T.t.sol/T.json": ""}, want: "it has no code"},
		"an artifact that is gone": {change: func(root string) {
			if err := os.Remove(filepath.Join(root, "out", "T.t.sol", "T.json")); err != nil {
				t.Error(err)
			}
		}, want: "artifact of test/T.t.sol:T"},
		"invalid code": {files: map[string]string{"out/T.t.sol/T.json": `{"bytecode":{"object":"0xzz"}}`}, want: "code"},
		"another version of it reads files": {files: map[string]string{
			index: strings.Replace(compiledProject()[index], `"T":{"0.8.30"`, `"T":{"0.8.9":{"default":{"path":"T.t.sol/T.json"},"ir":{"path":"Old.sol/T8.json"}},"0.8.30"`, 1),
		}, want: "readFile(string)"},
		"a library that was not compiled": {files: map[string]string{
			"out/T.t.sol/T.json": `{"bytecode":{"object":"0x60","linkReferences":{"src/B.sol":{"B":[{"start":1}]}}}}`,
		}, want: "src/B.sol:B"},
	} {
		files := compiledProject()
		for file, text := range test.files {
			files[file] = text
		}
		c := readProject(t, files, test.change)
		known, needed := map[string]bool{}, []string{}
		for _, part := range c.Parts(t.Context()) {
			known[part.Name] = true
			needed = append(needed, part.Needs...)
		}
		needs, opaque := c.Suite(t.Context(), suite)
		if !strings.Contains(opaque, test.want) || (opaque == "") != (test.want == "") {
			t.Errorf("%s: opaque %q, want %q", name, opaque, test.want)
		}
		if i := slices.IndexFunc(append(needed, needs...), func(n string) bool { return !known[n] }); i >= 0 || len(needs) == 0 {
			t.Errorf("%s: it needs %q, which is not among the parts %v", name, needs, known)
		}
		if outside := c.Outside(t.Context(), suite); test.want == "src/B.sol" && len(outside) > 0 {
			t.Errorf("%s: skipped %q", name, outside)
		}
	}
}

func TestACompilerOfTheProjectIsConfiguration(t *testing.T) {
	files := compiledProject()
	files["tools/solc"] = "#!"
	for _, part := range readProject(t, files, nil).Parts(t.Context()) {
		if slices.Contains(part.Files, "tools/solc") {
			return
		}
	}
	t.Error("no part contains tools/solc")
}

func TestWhatASuiteIsNotBuiltFromIsOutside(t *testing.T) {
	files := compiledProject()
	files["src/Z.sol"], files["lib/l/L.sol"] = "", ""
	index := "cache/solidity-files-cache.json"
	files[index] = strings.Replace(files[index], `"files":{`, `"files":{"src/Z.sol":{},"lib/l/L.sol":{},`, 1)
	if got := readProject(t, files, nil).Outside(t.Context(), suite); !slices.Equal(got, []string{"src/Z.sol"}) {
		t.Errorf("%q", got)
	}
}
