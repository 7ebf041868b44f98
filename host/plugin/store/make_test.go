package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

const (
	name    = "tap"
	version = "1.2.3"
)

func sum(content string) string {
	hash := sha256.Sum256([]byte(content))
	return hex.EncodeToString(hash[:])
}

// describe returns the manifest of a plugin with this binary, for this platform.
func describe(version, content string) manifest.Manifest {
	p := manifest.ThisPlatform()
	return manifest.Manifest{
		Schema: manifest.Schema, Name: name, Version: version, Protocols: []int{1},
		Platforms: map[manifest.Platform]manifest.Binary{p: {Bin: manifest.BinaryName(name, p), SHA256: sum(content)}},
	}
}

func receipt() Receipt {
	return Receipt{Source: "local:./x", InstalledAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), InstalledBy: "0.1.0"}
}

// fill puts a plugin's files into a staged directory.
func fill(dir string, m manifest.Manifest, content string) error {
	return errors.Join(
		os.WriteFile(filepath.Join(dir, manifest.File), m.Encode(), 0o644),
		os.WriteFile(filepath.Join(dir, manifest.BinaryName(m.Name, manifest.ThisPlatform())), []byte(content), 0o755),
		os.WriteFile(filepath.Join(dir, LicenseFile), []byte("MIT\n"), 0o644),
	)
}

// install does what package install does with a store.
func install(ctx context.Context, s *Store, version, content string, r Receipt) (Installed, error) {
	release, err := s.Lock(ctx, name, version, nil)
	if err != nil {
		return Installed{}, err
	}
	defer release()
	stage, err := s.Stage(ctx)
	if err != nil {
		return Installed{}, err
	}
	m := describe(version, content)
	if err := fill(stage, m, content); err != nil {
		return Installed{}, errors.Join(err, s.Discard(stage))
	}
	s.step("filled")
	got, err := s.Publish(ctx, stage, m, r)
	if err != nil {
		return Installed{}, errors.Join(err, s.Discard(stage))
	}
	return got, nil
}

func mustInstall(t testing.TB, s *Store, version, content string) Installed {
	t.Helper()
	got, err := install(t.Context(), s, version, content, receipt())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func remove(ctx context.Context, s *Store, version string) error {
	release, err := s.Lock(ctx, name, version, nil)
	if err != nil {
		return err
	}
	defer release()
	return s.Remove(ctx, name, version)
}

// checkWhole checks that the store has exactly these versions, all intact, none
// rejected.
func checkWhole(t *testing.T, s *Store, want ...string) {
	t.Helper()
	found, rejected, err := s.List(t.Context())
	if err != nil || len(rejected) > 0 {
		t.Errorf("rejected: %v, %v", rejected, err)
	}
	var got []string
	for _, f := range found {
		got = append(got, f.Manifest.Version)
		if hash, err := Hash(t.Context(), f.Path); err != nil || hash != f.Receipt.Bin {
			t.Errorf("%s has the hash %s and the receipt %s: %v", f.Path, hash, f.Receipt.Bin, err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("installed: %s", diff)
	}
}

// staged returns the names below .staging.
func staged(t *testing.T, s *Store) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.dir, stagingDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func open(t testing.TB) *Store {
	t.Helper()
	return Open(filepath.Join(t.TempDir(), "share", "plugins"))
}
