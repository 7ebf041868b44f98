package declaration_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
)

// newLargeProject returns a project of 300 compiled contracts with 16 tests each, with
// artifacts as long as those of contracts that use forge-std.
func newLargeProject(b *testing.B) string {
	b.Helper()
	const contracts, padding = 300, 60_000
	root := b.TempDir()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("testdata/project", name))
		if err != nil {
			b.Fatal(err)
		}
		return string(text)
	}
	source, artifact := read("test/Over.t.sol"), read("compiled/Over.t.sol/Over.json")
	artifact = strings.Replace(artifact, `"bytecode":{"object":"0x`, `"bytecode":{"object":"0x`+strings.Repeat("00", padding), 1)
	files := map[string]any{}
	for i := range contracts {
		folder, build := fmt.Sprintf("n%d", i), fmt.Sprintf("b%d", i)
		name := "test/" + folder + "/Over.t.sol"
		forgetest.Write(b, root, name, source)
		forgetest.Write(b, root, "compiled/"+folder+"/Over.json", artifact)
		forgetest.Write(b, root, "compiled/build-info/"+build+".json", strings.Replace(buildInfo(b), "test/Over.t.sol", name, 1))
		info, err := os.Stat(filepath.Join(root, name))
		if err != nil {
			b.Fatal(err)
		}
		files[name] = map[string]any{
			"lastModificationDate": info.ModTime().UnixMilli(),
			"artifacts":            map[string]any{"Over": map[string]any{"0.8.30": map[string]string{"path": folder + "/Over.json", "build_id": build}}},
		}
	}
	index, err := json.Marshal(map[string]any{"files": files})
	if err != nil {
		b.Fatal(err)
	}
	forgetest.Write(b, root, "index/solidity-files-cache.json", string(index))
	return root
}

func buildInfo(b *testing.B) string {
	names, err := filepath.Glob("testdata/project/compiled/build-info/*.json")
	if err != nil || len(names) != 1 {
		b.Fatal(names, err)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

func BenchmarkFindFiveHundredTestsOfThreeHundredContracts(b *testing.B) {
	root := newLargeProject(b)
	signatures := []string{"test_over()", "test_over(uint256)"}
	for b.Loop() {
		f := newFinder(root)
		for i := range 500 {
			suite := fmt.Sprintf("test/n%d/Over.t.sol:Over", i%300)
			if l, ok := f.Find(b.Context(), suite, signatures[i/300]); !ok || l.Line < 20 {
				b.Fatalf("%s at %+v", suite, l)
			}
		}
	}
}

func BenchmarkListAllTestsOfThreeHundredContracts(b *testing.B) {
	f := newFinder(newLargeProject(b))
	for b.Loop() {
		tests, complete, err := f.Tests(b.Context())
		if err != nil || !complete || len(tests) != 300 || len(tests["test/n7/Over.t.sol:Over"]) != 16 {
			b.Fatal(len(tests), len(tests["test/n7/Over.t.sol:Over"]), complete, err)
		}
	}
}

func BenchmarkListAllTestsFromSources(b *testing.B) {
	root := newLargeProject(b)
	if err := os.RemoveAll(filepath.Join(root, "index")); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		f := newFinder(root)
		if tests, _, err := f.Tests(b.Context()); err != nil || len(tests) != 300 {
			b.Fatal(len(tests), err)
		}
	}
}
