package source

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testbin"
)

// proxyDir is a module proxy in a directory, for GOPROXY=file://.
type proxyDir struct{ dir string }

// add publishes a version of a module.
func (p proxyDir) add(t *testing.T, path, version string, files map[string]string) {
	t.Helper()
	if files["go.mod"] == "" {
		files["go.mod"] = "module " + path + "\n\ngo 1.20\n"
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		f, err := w.Create(path + "@" + version + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(p.dir, filepath.FromSlash(path), "@v")
	list, _ := os.ReadFile(filepath.Join(at, "list"))
	write(t, at, map[string][]byte{
		version + ".zip": b.Bytes(), version + ".mod": []byte(files["go.mod"]), version + ".info": []byte(`{"Version":"` + version + `","Time":"2026-01-02T03:04:05Z"}`),
		"list": append(list, version+"\n"...),
	})
}

const (
	tinyMain = "package main\n\nfunc main() { println(\"it was run\") }\n"
	tinyPkg  = "example.test/tiny/cmd/proctor-plugin-tiny"
)

// tiny returns a proxy that has modules with small plugins.
func tiny(t *testing.T) proxyDir {
	t.Helper()
	p := proxyDir{t.TempDir()}
	about := `{"schema": 1, "name": "tiny", "protocols": [1], "summary": "what it is", "detect": {"any_file": ["tiny.toml"]}, "version": "9.9.9"}`
	for _, v := range []string{"v1.0.0", "v1.1.0", "v1.2.0-rc.1", "v2.0.0+incompatible"} {
		files := map[string]string{"cmd/proctor-plugin-tiny/main.go": tinyMain, "LICENSE": "as you like\n", "plain/proctor-plugin-bare/main.go": tinyMain}
		if v != "v1.0.0" {
			files["cmd/proctor-plugin-tiny/manifest.json"] = about
		}
		if strings.HasPrefix(v, "v2") {
			files["go.mod"] = "module example.test/tiny\n"
		}
		p.add(t, "example.test/tiny", v, files)
	}
	p.add(t, "example.test/odd", "v0.1.0", map[string]string{
		"nameless/main.go":             tinyMain,
		"library/lib.go":               "package library\n",
		"proctor-plugin-other/main.go": tinyMain, "proctor-plugin-other/manifest.json": `{"name": "another", "protocols": [1]}`,
		"proctor-plugin-bad/main.go": tinyMain, "proctor-plugin-bad/manifest.json": `[]`,
		"proctor-plugin-newer/main.go": tinyMain, "proctor-plugin-newer/manifest.json": `{"name": "newer", "protocols": [7]}`,
		"proctor-plugin-wrong/main.go":  "package main\n\nfunc main() { \x1b }\n",
		"proctor-plugin-native/main.go": "package main\n\n// #cgo LDFLAGS: -Wl,evil\nimport \"C\"\n\nfunc main() {}\n",
	})
	p.add(t, "example.test/replaced", "v1.0.0", map[string]string{
		"go.mod":                       "module example.test/replaced\n\ngo 1.20\n\nreplace example.test/tiny => ./tiny\n",
		"proctor-plugin-local/main.go": tinyMain,
	})
	p.add(t, "example.test/pre", "v0.1.0-beta.1", map[string]string{"proctor-plugin-pre/main.go": tinyMain})
	return p
}

// goConfig returns the Config of a user with a go command, a module proxy and an empty module
// cache.
func goConfig(t *testing.T, proxy string) Config {
	t.Helper()
	home := testbin.Home(t)
	t.Cleanup(func() { makeWritable(home) })
	cmd := exec.CommandContext(t.Context(), "go", "env", "GOCACHE")
	cache, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	cfg := scratch(t)
	cfg.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "USERPROFILE=" + home, "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"),
		"GOCACHE=" + strings.TrimSpace(string(cache)), "GOMODCACHE=" + filepath.Join(home, "mod"), "GOPATH=" + filepath.Join(home, "go"),
		"GOPROXY=" + proxy, "GONOSUMDB=*",
		// User settings that must not affect the build of a plugin.
		"GOFLAGS=-toolexec=/nonexistent -mod=vendor", "CGO_ENABLED=1", "CC=/nonexistent", "GOOS=plan9", "GOWORK=/nonexistent/go.work",
	}
	return cfg
}

func (p proxyDir) url() string {
	path := filepath.ToSlash(p.dir)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + path
}

// makeWritable allows removing a module cache, which Go makes read-only.
func makeWritable(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
}
