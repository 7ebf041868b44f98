package examples_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/sdk/detectorpb"
)

// npmPatience is how long npm waits for one response, in milliseconds: its default of five
// minutes is longer than a command may take here.
const npmPatience = "npm_config_fetch_timeout=30000"

// newNodePlugin builds, packs and installs the plugin.
func newNodePlugin(t *testing.T) nodePlugin {
	t.Helper()
	p := nodePlugin{newUser(t, "NODE_", "npm_config_")}
	cache, err := filepath.Abs(filepath.Join("..", ".cache", "npm"))
	if err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "npm_config_cache="+cache, "npm_config_update_notifier=false", npmPatience)
	p.build(t)
	p.install(t, "node", "unix")
	return p
}

// build builds the plugin in the cache, where its packages can stay.
func (p nodePlugin) build(t *testing.T) {
	dir, err := filepath.Abs(filepath.Join("..", ".cache", "plugin-node"))
	if err != nil {
		t.Fatal(err)
	}
	p.source, p.binary = dir, filepath.Join(dir, "dist", "proctor-plugin-node")
	for _, name := range []string{"src", "test", "testdata", "runner", "scripts", "proto", "dist"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	copyTree(t, "plugin-node", dir)
	if err := os.WriteFile(filepath.Join(dir, "proto", "detector.proto"), detectorpb.Source(), 0o644); err != nil {
		t.Fatal(err)
	}
	lock := readFile(t, "plugin-node/package-lock.json")
	stamp := filepath.Join(dir, "node_modules", ".installed")
	if have, err := os.ReadFile(stamp); err != nil || !bytes.Equal(have, lock) {
		p.command(t, dir, "npm", "ci", "--silent", "--prefer-offline", "--no-audit", "--no-fund")
		if err := os.WriteFile(stamp, lock, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.command(t, dir, "npm", "run", "--silent", "build")
}

// copyTree copies a directory, except what was built or installed there.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "dist") && path != from {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func lastOf(list []string, n int) []string {
	return list[max(0, len(list)-n):]
}
