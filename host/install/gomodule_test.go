package install

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/plugin/held"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// goUser is a user with a go command, and a module proxy with a plugin.
func goUser(t *testing.T) (u *user, proxy string) {
	t.Helper()
	u, proxy = newUser(t), filepath.Join(t.TempDir(), "proxy")
	offerModule(t, proxy, "v1.0.0", "")
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	u.cfg.Env = append(os.Environ(), "HOME="+u.home, "GOCACHE="+strings.TrimSpace(string(cache)), "GOFLAGS=", "GONOSUMDB=*", "GOTOOLCHAIN=local",
		"GOMODCACHE="+filepath.Join(u.home, "mod"), "GOPROXY="+fileURL(proxy))
	t.Cleanup(func() { removeAll(filepath.Join(u.home, "mod")) })
	return u, proxy
}

// offerModule adds a version of the module to a proxy.
func offerModule(t *testing.T, proxy, version, comment string) {
	t.Helper()
	const module = "example.test/tiny"
	about := "module " + module + "\n\ngo 1.20\n"
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"go.mod":                          about,
		"cmd/proctor-plugin-tiny/main.go": "package main\n\nfunc main() { println(\"it was run\") }\n" + comment,
	} {
		f, err := w.Create(module + "@" + version + "/" + name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	put(t, filepath.Join(at, version+".zip"), b.Bytes())
	put(t, filepath.Join(at, version+".mod"), []byte(about))
	put(t, filepath.Join(at, version+".info"), []byte(`{"Version":"`+version+`","Time":"2026-01-02T03:04:05Z"}`))
	put(t, filepath.Join(at, "list"), []byte(version+"\n"))
}

func TestAGoModuleIsLockedByItsSources(t *testing.T) {
	u, proxy := goUser(t)
	p := u.install("go:example.test/tiny/cmd/proctor-plugin-tiny@v1.0.0")
	e := u.locked().Plugins["tiny"]
	if p.Version != "1.0.0" || !strings.HasPrefix(e.ModuleSum, "h1:") || len(e.Hashes) > 0 || e.Source != "go:example.test/tiny/cmd/proctor-plugin-tiny" {
		t.Errorf("%+v, locked %+v", p, e)
	}
	u.whole()
	if !slices.Contains(u.events, "unvouched") {
		t.Errorf("no event says that no checksum database vouches for it: %q", u.events)
	}
	if got := u.sync(SyncRequest{}); got.Action != Unchanged {
		t.Errorf("%+v", got)
	}
	if got := u.install("tiny"); got.Action != Unchanged {
		t.Errorf("again: %+v", got)
	}
	if got := u.sync(SyncRequest{Mirror: t.TempDir()}); got.Action != Unchanged {
		t.Errorf("%+v", got)
	}
	u.wipe()
	if got := u.sync(SyncRequest{Mirror: t.TempDir()}); got.Action != Failed || !strings.Contains(got.Problem, "GOPROXY") {
		t.Errorf("%+v", got)
	}
	if got := u.sync(SyncRequest{}); got.Action != Installed {
		t.Errorf("%+v", got)
	}
	u.whole()

	// The same version with other sources, from a lying proxy.
	u.wipe()
	removeAll(filepath.Join(u.home, "mod"))
	offerModule(t, proxy, "v1.0.0", "// changed\n")
	if got := u.sync(SyncRequest{}); got.Code != held.CodeMismatch || !strings.Contains(got.Detail, e.ModuleSum) {
		t.Errorf("%+v", got)
	}
	refused[*held.MismatchError](u, Request{Spec: "tiny"}, "module_sum", e.ModuleSum)
}

func TestAGoModuleIsRebuiltWhenReinstalled(t *testing.T) {
	u, _ := goUser(t)
	p := u.install("go:example.test/tiny/cmd/proctor-plugin-tiny@v1.0.0")
	before, err := os.ReadFile(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	// Anybody who can write the binary can also write the files beside it.
	dir, evil := filepath.Dir(p.Path), u.program("evil")
	for _, file := range []string{manifest.File, store.ReceiptFile} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		replace(t, filepath.Join(dir, file), bytes.ReplaceAll(data, []byte(hexSum(before)), []byte(hexSum(evil))))
	}
	replace(t, p.Path, evil)
	u.whole() // the files agree with each other
	u.events = nil
	if p := u.install("tiny"); p.Action != Installed || !slices.Contains(u.events, "rebuilt tiny") {
		t.Errorf("%+v, events %q", p, u.events)
	}
	if after, err := os.ReadFile(p.Path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("it was not rebuilt: %v", err)
	}
	u.whole()
}

// replace changes a file of the store.
func replace(t *testing.T, path string, data []byte) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(filepath.Dir(path), 0o700), os.Remove(path), os.WriteFile(path, data, info.Mode().Perm())); err != nil {
		t.Fatal(err)
	}
}
