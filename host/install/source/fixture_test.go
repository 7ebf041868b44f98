package source

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/install/archive"
	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// elsewhere is a platform that these tests never run on.
const elsewhere manifest.Platform = "plan9_arm"

func here() manifest.Platform { return manifest.ThisPlatform() }

// plugin is a test plugin. Its binary is a text, which nothing executes.
type plugin struct {
	name, version string
	protocols     []int
	binary        string
	platform      manifest.Platform
}

func tap(version string) plugin {
	return plugin{name: "tap", version: version, protocols: []int{1}, binary: "binary of " + version, platform: here()}
}

func (p plugin) query(constraint string) Query {
	return Query{Name: p.name, Constraint: constraint, Platform: p.platform, Protocols: []int{1}}
}

func (p plugin) manifest() manifest.Manifest {
	return manifest.Manifest{
		Schema: manifest.Schema, Name: p.name, Version: p.version, Protocols: p.protocols,
		Platforms: map[manifest.Platform]manifest.Binary{
			p.platform: {Bin: manifest.BinaryName(p.name, p.platform), SHA256: hexOf([]byte(p.binary))},
		},
	}
}

func (p plugin) files() map[string][]byte {
	return map[string][]byte{
		manifest.File: p.manifest().Encode(), manifest.BinaryName(p.name, p.platform): []byte(p.binary), "LICENSE": []byte("as you like\n"),
	}
}

func (p plugin) archive(t *testing.T) []byte {
	t.Helper()
	return packed(t, p.files(), manifest.BinaryName(p.name, p.platform))
}

func packed(t *testing.T, files map[string][]byte, program string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := archive.Pack(t.Context(), &b, archive.TarGz, files, map[string]bool{program: true}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// url returns the archive's place in an index.
func (p plugin) url() string {
	return p.name + "/" + p.version + "/" + archive.Name(p.name, p.version, p.platform)
}

// published lays out an index of plugins, as a map of its files.
func published(t *testing.T, plugins ...plugin) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	x := index.Index{Schema: index.Schema, Plugins: map[string]index.Plugin{}}
	for _, p := range plugins {
		data := p.archive(t)
		files[p.url()] = data
		if x.Plugins[p.name].Versions == nil {
			x.Plugins[p.name] = index.Plugin{Versions: map[string]index.Version{}}
		}
		v := x.Plugins[p.name].Versions[p.version]
		if v.Files == nil {
			v = index.Version{Protocols: p.protocols, Files: map[manifest.Platform]index.Archive{}}
		}
		v.Files[p.platform] = index.Archive{URL: p.url(), SHA256: hexOf(data), BinSHA256: hexOf([]byte(p.binary))}
		x.Plugins[p.name].Versions[p.version] = v
	}
	files[index.File] = x.Encode()
	return files
}

func write(t *testing.T, dir string, files map[string][]byte) string {
	t.Helper()
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// scratch returns a Config whose download directory must be empty at the end of the test.
func scratch(t *testing.T) Config {
	t.Helper()
	temp := filepath.Join(t.TempDir(), "temp")
	t.Cleanup(func() {
		if left := names(t, temp); len(left) > 0 {
			t.Errorf("left behind in the directory for downloads: %q", left)
		}
	})
	return Config{Temp: temp}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func open(t *testing.T, cfg Config, text string) Source {
	t.Helper()
	spec, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(cfg, spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func resolve(t *testing.T, s Source, q Query) Release {
	t.Helper()
	r, err := s.Resolve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fetched fetches a release, and checks that its files are p's.
func fetched(t *testing.T, s Source, r Release, p plugin) Fetched {
	t.Helper()
	dir := t.TempDir()
	f, err := s.Fetch(t.Context(), r, p.platform, dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]byte{}
	for _, name := range names(t, dir) {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil || !info.Mode().IsRegular() {
			t.Fatalf("%s is not a regular file: %v", name, err)
		}
		if got[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(p.files(), got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	return f
}

// refused returns the error of a Fetch that must fail and leave nothing behind.
func refused(t *testing.T, s Source, r Release, p manifest.Platform) error {
	t.Helper()
	dir := t.TempDir()
	_, err := s.Fetch(t.Context(), r, p, dir)
	if err == nil {
		t.Fatal("no error")
	}
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	file := filepath.Join(t.TempDir(), "archive")
	if err := s.Archive(t.Context(), r, p, file); err != nil {
		if _, statErr := os.Lstat(file); !os.IsNotExist(statErr) {
			t.Errorf("a part of an archive is left behind: %v", statErr)
		}
	}
	return err
}

func hexOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
