//go:build unix

package artifact_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
)

func TestNamesInTheIndexCannotLeadOutside(t *testing.T) {
	outside := t.TempDir()
	forgetest.Write(t, outside, "T.json", `{"abi":[]}`)
	for name, path := range map[string]string{
		"absolute": filepath.Join(outside, "T.json"),
		"upwards":  "../../" + filepath.Base(outside) + "/T.json",
		"a link":   "link.json",
		"a folder": "folder",
		"a pipe":   "pipe",
		"a NUL":    `a\u0000b`,
	} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(filepath.Dir(outside), "project")
			t.Cleanup(func() { os.RemoveAll(root) })
			forgetest.Write(t, root, "out/folder/x", "")
			if err := errors.Join(os.Symlink(filepath.Join(outside, "T.json"), filepath.Join(root, "out/link.json")),
				syscall.Mkfifo(filepath.Join(root, "out/pipe"), 0o600)); err != nil {
				t.Fatal(err)
			}
			forgetest.Write(t, root, "cache/solidity-files-cache.json", `{"files":{"T.sol":{"artifacts":{"T":{"1":"`+path+`"}}}}}`)
			if c, err := openProject(t, artifact.Config{Root: root}).Contract(t.Context(), "T.sol", "T"); err == nil {
				t.Errorf("%+v", c)
			}
		})
	}
}

func TestASourceIsReadWhereTheCompilerMayHaveReadIt(t *testing.T) {
	outside, root := t.TempDir(), t.TempDir()
	forgetest.Write(t, outside, "far/Known.sol", "known")
	forgetest.Write(t, outside, "far/Secret.sol", "secret")
	forgetest.Write(t, outside, "far/passwd", "secret")
	forgetest.Write(t, outside, "dep/src/Linked.sol", "linked")
	forgetest.Write(t, outside, "dep/src/Unknown.sol", "secret")
	forgetest.Write(t, root, "src/A.sol", "a")
	forgetest.Write(t, root, "lib/x", "")
	forgetest.Write(t, root, "src/Large.sol", strings.Repeat("a", 10<<20+1))
	if err := errors.Join(os.Symlink(filepath.Join(outside, "dep"), filepath.Join(root, "lib/dep")),
		os.Symlink(filepath.Join(outside, "dep"), filepath.Join(root, "src/dep")),
		os.Symlink("A.sol", filepath.Join(root, "src/Inner.sol")),
		syscall.Mkfifo(filepath.Join(root, "src/Pipe.sol"), 0o600)); err != nil {
		t.Fatal(err)
	}
	files := []string{"src/A.sol", filepath.Join(outside, "far/Known.sol"), filepath.Join(outside, "far/passwd"), "lib/dep/src/Linked.sol", "src/dep/src/Linked.sol"}
	for i, f := range files {
		files[i] = fmt.Sprintf("%q:{}", f)
	}
	forgetest.Write(t, root, "cache/solidity-files-cache.json", `{"files":{`+strings.Join(files, ",")+`}}`)
	p := openProject(t, artifact.Config{Root: root})
	for path, want := range map[string]string{
		"src/A.sol":                                 "a",
		"src/Inner.sol":                             "a",
		"lib/dep/src/Linked.sol":                    "linked",
		filepath.Join(outside, "far/Known.sol"):     "known",
		"lib/dep/src/Unknown.sol":                   "",
		"src/dep/src/Linked.sol":                    "",
		filepath.Join(outside, "far/Secret.sol"):    "",
		filepath.Join(outside, "far/passwd"):        "",
		filepath.Join(root, "../far/Known.sol"):     "",
		"../" + filepath.Base(outside) + "/x.sol":   "",
		"src/Pipe.sol":                              "",
		"src/Large.sol":                             "",
		"src":                                       "",
		"":                                          "",
		"/etc/passwd":                               "",
		"src/../../" + filepath.Base(root) + "/../": "",
	} {
		if got, err := p.Source(t.Context(), path); string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %.20q, %v, want %q", path, got, err, want)
		}
	}
}
