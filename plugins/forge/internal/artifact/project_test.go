package artifact_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
)

func openProject(t testing.TB, cfg artifact.Config) *artifact.Project {
	t.Helper()
	p, err := artifact.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func realPath(t testing.TB, dir string) string {
	t.Helper()
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTheIndexIsReadInEveryFormat(t *testing.T) {
	for name, artifacts := range map[string]string{
		"paths":              `{"T":{"0.8.30+commit.73712a01.Linux.gcc":"right.json"}}`,
		"builds":             `{"T":{"0.8.30":{"path":"right.json","build_id":"b"}}}`,
		"profiles":           `{"T":{"0.8.30":{"default":{"path":"right.json","build_id":"b"}}}}`,
		"several profiles":   `{"T":{"0.8.30":{"a":{"path":"wrong.json"},"default":{"path":"right.json"},"z":{"path":"wrong.json"}}}}`,
		"no default profile": `{"T":{"0.8.30":{"b":{"path":"wrong.json"},"a":{"path":"right.json"}}}}`,
		"several versions":   `{"T":{"0.8.9":"wrong.json","0.8.30":"right.json","0.7.6":"wrong.json"}}`,
		"something unknown":  `{"T":{"0.8.31":7,"0.8.32":{"a":[]},"0.8.30":"right.json"}}`,
	} {
		for _, absolutePath := range []bool{false, true} {
			t.Run(fmt.Sprint(name, absolutePath), func(t *testing.T) {
				root := t.TempDir()
				source := "test/T.t.sol"
				if absolutePath {
					source = filepath.Join(root, source)
				}
				forgetest.Write(t, root, "out/right.json", `{"abi":[]}`)
				forgetest.Write(t, root, "out/wrong.json", `{`)
				forgetest.Write(t, root, "cache/solidity-files-cache.json", fmt.Sprintf(`{"_format":"x","files":{"odd":3,%q:{"imports":["src/A.sol"],"artifacts":%s}}}`, source, artifacts))
				p := openProject(t, artifact.Config{Root: root})
				if _, err := p.Contract(t.Context(), "test/T.t.sol", "T"); err != nil {
					t.Error(err)
				}
				if diff := cmp.Diff([]string{"src/A.sol"}, p.Imports("test/T.t.sol")); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestContentsDecideWhetherASourceIsFresh(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(compiled)); err != nil {
		t.Fatal(err)
	}
	const source = "test/Over.t.sol"
	fresh := func() bool {
		return openProject(t, artifact.Config{Root: root, Out: "compiled", CachePath: "index"}).IsFresh(t.Context(), source)
	}
	if !fresh() {
		t.Error("out of date, though only the time is another")
	}
	text, err := os.ReadFile(filepath.Join(root, source))
	if err != nil {
		t.Fatal(err)
	}
	forgetest.Write(t, root, source, string(text)+" ")
	if fresh() {
		t.Error("not out of date after an edit")
	}
	forgetest.Write(t, root, source, string(text))
	if err := os.Chtimes(filepath.Join(root, source), time.Time{}, time.UnixMilli(12345)); err != nil {
		t.Fatal(err)
	}
	if !fresh() {
		t.Error("out of date after the edit was taken back")
	}
	if err := os.Remove(filepath.Join(root, source)); err != nil {
		t.Fatal(err)
	}
	if fresh() {
		t.Error("not out of date after it was removed")
	}
}

func TestAProjectWithoutAnIndexIsOpened(t *testing.T) {
	p := openProject(t, artifact.Config{Root: t.TempDir()})
	if _, err := p.Contract(t.Context(), "T.sol", "T"); !errors.Is(err, artifact.ErrNotCompiled) || p.HasIndex() {
		t.Errorf("%v, indexed %v", err, p.HasIndex())
	}
	if _, err := artifact.Open(t.Context(), artifact.Config{Root: "relative"}); err == nil {
		t.Error("a relative root")
	}
}

func TestALibraryIsWhatLiesInItsFolder(t *testing.T) {
	root := t.TempDir()
	for _, c := range []struct {
		libs   []string
		source string
		want   bool
	}{
		{nil, "lib/a/A.sol", true},
		{nil, "node_modules/a/A.sol", true},
		{nil, "library/A.sol", false},
		{nil, "src/lib/A.sol", false},
		{[]string{"deps/"}, "deps/A.sol", true},
		{[]string{"deps"}, "lib/A.sol", false},
		{[]string{filepath.Join(root, "deps")}, "deps/A.sol", true},
		{[]string{}, "lib/A.sol", false},
	} {
		if got := openProject(t, artifact.Config{Root: root, Libs: c.libs}).IsLibrary(c.source); got != c.want {
			t.Errorf("%s with %q: %v", c.source, c.libs, got)
		}
	}
}
