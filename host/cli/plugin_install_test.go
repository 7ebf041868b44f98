package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/install"
	"github.com/proctorhq/proctor/host/install/archive"
	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// customer installs plugins in a project, from an index of one plugin.
type customer struct {
	t                    *testing.T
	home, project, index string
	// trace is made by every plugin that is executed.
	trace string
}

func newCustomer(t *testing.T) *customer {
	t.Helper()
	top := t.TempDir()
	c := &customer{t: t, home: filepath.Join(top, "home"), project: filepath.Join(top, "project"),
		index: filepath.Join(top, "published", index.File), trace: filepath.Join(top, "executed")}
	if err := os.MkdirAll(filepath.Join(c.project, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	c.publish("1.0.0")
	t.Cleanup(func() {
		if _, err := os.Lstat(c.trace); !errors.Is(err, fs.ErrNotExist) {
			t.Error("a plugin was executed")
		}
	})
	return c
}

// publish writes an index with one version, which is not signed.
func (c *customer) publish(version string) {
	c.t.Helper()
	p := manifest.ThisPlatform()
	bin := manifest.BinaryName("tap", p)
	program := []byte("#!/bin/sh\ntouch '" + c.trace + "'\n")
	m := manifest.Manifest{Schema: manifest.Schema, Name: "tap", Version: version, Protocols: []int{1},
		Detect:    manifest.Detect{AnyFile: []string{"x.toml"}},
		Platforms: map[manifest.Platform]manifest.Binary{p: {Bin: bin, SHA256: hexHash(program)}}}
	var packed bytes.Buffer
	err := archive.Pack(c.t.Context(), &packed, archive.FormatFor(p),
		map[string][]byte{manifest.File: m.Encode(), bin: program}, map[string]bool{bin: true})
	if err != nil {
		c.t.Fatal(err)
	}
	name := archive.Name("tap", version, p)
	x := index.Index{Schema: index.Schema, Plugins: map[string]index.Plugin{"tap": {Versions: map[string]index.Version{
		version: {Protocols: []int{1}, Files: map[manifest.Platform]index.Archive{
			p: {URL: name, SHA256: hexHash(packed.Bytes()), BinSHA256: hexHash(program)}}}}}}}
	for file, data := range map[string][]byte{name: packed.Bytes(), index.File: x.Encode()} {
		path := filepath.Join(filepath.Dir(c.index), file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			c.t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			c.t.Fatal(err)
		}
	}
}

func hexHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// plugin calls proctor plugin in the project, in this process.
func (c *customer) plugin(args ...string) reply {
	c.t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(c.t.Context(), environment{
		Args:    append([]string{"plugin", "-C", c.project}, args...),
		Environ: []string{"HOME=" + c.home, "LocalAppData=" + filepath.Join(c.home, "AppData")},
		Stdin:   strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
	})
	return reply{code: code, stdout: stdout.String(), stderr: stderr.String()}
}

// answer calls it with --json.
func (c *customer) answer(code int, args ...string) install.Answer {
	c.t.Helper()
	r := c.plugin(append(args, "--json")...)
	var a install.Answer
	decodeLine(c.t, r, &a)
	if r.code != code || a.Schema != install.AnswerSchema || a.Command != args[0] {
		c.t.Errorf("%q: exit %d: %s%s", args, r.code, r.stdout, r.stderr)
	}
	return a
}

func (c *customer) address() string {
	path := filepath.ToSlash(c.index)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + path
}

func TestAPluginIsInstalledCheckedUpgradedAndRemoved(t *testing.T) {
	t.Parallel()
	c := newCustomer(t)
	c.plugin("install", c.address(), "--project").expect(t, 0, "installed tap 1.0.0", "proctor.lock", "is not signed", "fetching from")
	if _, err := os.Stat(filepath.Join(c.project, "proctor.lock")); err != nil {
		t.Fatal(err)
	}
	if r := c.plugin("-q", "verify"); r.code != 0 || r.stdout != "verified tap 1.0.0\n" || r.stderr != "" {
		t.Errorf("%+v", r)
	}
	a := c.answer(0, "sync", "--check")
	if len(a.Plugins) != 1 || a.Plugins[0].Action != install.Unchanged {
		t.Fatalf("%+v", a)
	}

	path := a.Plugins[0].Path
	if err := errors.Join(os.Chmod(path, 0o755), os.WriteFile(path, []byte("spoilt"), 0o755)); err != nil {
		t.Fatal(err)
	}
	c.plugin("verify").expect(t, exitTool, "failed tap 1.0.0: plugin tap 1.0.0 does not match proctor.lock", "  file      "+path,
		"  expected  sha256:", "  actual    sha256:"+hexHash([]byte("spoilt")), "It was not executed", "proctor plugin install tap")
	if a := c.answer(exitTool, "sync"); a.Plugins[0].Code != "plugin_checksum_mismatch" {
		t.Errorf("%+v", a)
	}
	c.plugin("install", "tap").expect(t, 0, "changed since they were installed", "installed tap 1.0.0")

	mirror := filepath.Join(t.TempDir(), "mirror")
	c.plugin("mirror", mirror).expect(t, 0, "mirrored tap 1.0.0", "proctor plugin sync --mirror "+mirror)
	c.plugin("lock", "--platform", "all").expect(t, 0, string(manifest.ThisPlatform()))
	c.plugin("remove", "tap").expect(t, 0, "removed tap 1.0.0")
	c.plugin("remove", "tap").expect(t, exitTool, "names no plugin tap")
	c.plugin("install", c.address(), "--json").expect(t, 0, `"action":"installed"`)
	// The index no longer has what is locked.
	c.publish("2.0.0")
	c.plugin("upgrade", "--dry-run").expect(t, exitTool, "no longer has plugin tap 1.0.0")
}

func TestMisuseOfPluginCommandsExitsWith2AndChangesNothing(t *testing.T) {
	t.Parallel()
	c := newCustomer(t)
	for _, args := range [][]string{
		{"install"}, {"install", "x/y"}, {"install", "http://example.org/index.json"},
		{"install", c.address(), "--sha256", "abc"}, {"install", c.address(), "--key", "nonsense"}, {"install", c.address(), "--repin"},
		{"install", c.address(), "--project", "--user"}, {"sync", "now"}, {"lock"}, {"lock", "--platform", "Linux"}, {"mirror"}, {"remove"},
	} {
		if r := c.plugin(args...); r.code != exitUsage || r.stdout != "" || !strings.HasPrefix(r.stderr, "proctor: ") {
			t.Errorf("%q: %+v", args, r)
		}
	}
	// With --json that is an object too, once the arguments are understood.
	for _, args := range [][]string{
		{"install", "x/y"}, {"install", c.address() + "#tap@banana"}, {"install", c.address(), "--repin"}, {"verify", "--project", "--user"},
		{"lock"}, {"lock", "--platform", "Linux"},
	} {
		if a := c.answer(exitUsage, args...); a.Problem == "" || a.Plugins == nil {
			t.Errorf("%q: %+v", args, a)
		}
	}
	if _, err := os.Stat(c.home); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was written: %v", err)
	}
}

func TestARefusedInstallIsAnObjectToo(t *testing.T) {
	t.Parallel()
	c := newCustomer(t)
	a := c.answer(exitTool, "install", c.address(), "--sha256", strings.Repeat("ab", 32))
	if a.Code != "plugin_checksum_mismatch" || !strings.Contains(a.Problem, "--sha256") || len(a.Plugins) > 0 {
		t.Errorf("%+v", a)
	}
	r := c.plugin("install", c.address(), "--json", "--sha256", strings.Repeat("ab", 32))
	if strings.Count(r.stdout, "\n") != 1 || json.Valid([]byte(r.stdout)) != true || !strings.Contains(r.stderr, "expected  sha256:abab") {
		t.Errorf("%+v", r)
	}
	c.plugin("install", "https://example.invalid/index.json", "--offline").expect(t, exitTool, "--offline")
	if err := os.Symlink(filepath.Join(c.project, "nothing"), filepath.Join(c.project, "proctor.lock")); err != nil {
		t.Skip("no links here:", err)
	}
	for _, command := range []string{"verify", "sync"} {
		if a := c.answer(exitTool, command); !strings.Contains(a.Problem, "symbolic link") {
			t.Errorf("%+v", a)
		}
	}
}

func TestSyncSaysWhereAPluginComesFrom(t *testing.T) {
	t.Parallel()
	c := newCustomer(t)
	c.plugin("-q", "install", c.address(), "--project").expect(t, 0)
	c.home = filepath.Join(filepath.Dir(c.home), "another machine")
	c.plugin("-q", "sync", "--check").expect(t, exitTool, "missing tap 1.0.0 of "+c.address()+" (it is not installed")
	c.plugin("-q", "sync").expect(t, 0, "installed tap 1.0.0 of "+c.address()+"\n", "is not signed: nobody vouches")
}
