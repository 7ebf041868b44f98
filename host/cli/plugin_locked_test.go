package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/project"
)

// offered makes a directory that a fake plugin can be installed from.
func offered(t testing.TB, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	dir, platform, sum := t.TempDir(), manifest.ThisPlatform(), sha256.Sum256(binary)
	m := manifest.Manifest{
		Schema: manifest.Schema, Name: name, Version: "1.0.0", Protocols: []int{1}, Summary: "a fake",
		Detect: manifest.Detect{AnyFile: []string{"go.mod"}},
		Platforms: map[manifest.Platform]manifest.Binary{
			platform: {Bin: manifest.BinaryName(name, platform), SHA256: hex.EncodeToString(sum[:])},
		},
	}
	if err := os.WriteFile(filepath.Join(dir, manifest.BinaryName(name, platform)), binary, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, manifest.File), m.Encode(), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestALockedPluginMustMatchItsLockFile(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a_test.go": tests("a", "TestA", "")})
	w.proctor("plugin", "install", offered(t, fakeForeign), "--project").expect(t, 0, "foreign", "1.0.0", "proctor.lock")
	w.proctor("plugin", "info", fakeForeign).expect(t, 0, "a fake", "origin        project", "local:", "sha256:")

	var list project.PluginList
	if r := w.proctor("plugin", "list", "--json"); r.code != 0 || json.Unmarshal([]byte(r.stdout), &list) != nil {
		t.Fatalf("%d %s %s", r.code, r.stdout, r.stderr)
	}
	path := ""
	for _, p := range list.Plugins {
		if p.Name == fakeForeign && p.Origin == project.OriginProject {
			path = p.Path
		}
	}
	if path == "" {
		t.Fatalf("%+v", list)
	}
	w.proctor("doctor").expect(t, 0, fakeForeign, "go version", "go test", "nothing is wrong")
	run, _ := w.object("run", "--lang", fakeForeign)
	if run.Verdict != api.Passed || filepath.Base(run.Plugin.Lock) != "proctor.lock" || run.Plugin.Version != "1.0.0" {
		t.Errorf("%+v", run.Plugin)
	}

	append1(t, path)
	w.proctor("run").expect(t, exitTool, "plugin foreign 1.0.0 does not match proctor.lock", "was not executed", path, "expected  sha256:", "actual    sha256:", "proctor plugin install")
	w.proctor("run", "--lang", "go").expect(t, 0, "PASSED  1 test")
	if r := w.proctor("mcp", "call", "run_tests"); !strings.Contains(r.stdout, "plugin_checksum_mismatch") && !strings.Contains(r.stdout, "does not match") {
		t.Errorf("%d %s", r.code, r.stdout)
	}
	w.proctor("plugin", "verify").expect(t, exitTool, "foreign", "does not match")

	w.proctor("plugin", "list", "-C", "nowhere").expect(t, exitUsage, "nowhere")
	if err := os.RemoveAll(list.Store); err != nil {
		t.Fatal(err)
	}
	w.proctor("run").expect(t, exitTool, "names plugin foreign 1.0.0, which is not installed", "proctor plugin sync")
	w.proctor("plugin", "list").expect(t, exitTool, "refused", "not installed")
}

// append1 changes an installed file behind the store's back.
func append1(t *testing.T, path string) {
	t.Helper()
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
}
