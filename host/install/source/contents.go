package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// contents are a plugin's files in a directory.
type contents struct {
	manifest manifest.Manifest
	// bin is the actual hash of the binary.
	bin string
}

// announced is what a source said about a plugin before it was fetched.
type announced struct {
	name, version string
	protocols     []int
	// bin is the hash of the binary; empty if unknown.
	bin string
	// address is what was fetched, by who announced it.
	address, by string
}

// readManifest reads the manifest in a directory.
func readManifest(ctx context.Context, dir string) (manifest.Manifest, error) {
	c, err := openOwnFile(dir, manifest.File)
	if err != nil {
		return manifest.Manifest{}, err
	}
	defer c.Close()
	data, err := c.bytes(ctx, manifest.MaxSize)
	if err != nil {
		return manifest.Manifest{}, err
	}
	return manifest.Parse(data)
}

// inspect reads the contents of a directory, and compares the binary with the manifest.
// address is their origin, for errors.
func inspect(ctx context.Context, dir string, p manifest.Platform, address string) (contents, error) {
	m, err := readManifest(ctx, dir)
	if err != nil {
		return contents{}, fmt.Errorf("%s: %w", address, err)
	}
	binary, ok := m.Platforms[p]
	if !ok {
		return contents{}, errors.New(address + ": its manifest.json has no binary for " + string(p))
	}
	path := filepath.Join(dir, filepath.Base(binary.Bin))
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return contents{}, errors.New(address + ": the binary that its manifest.json names, " + binary.Bin + ", is not in it")
	}
	hash, err := store.Hash(ctx, path)
	if err != nil {
		return contents{}, err
	}
	if hash != hashPrefix+binary.SHA256 {
		return contents{}, newCorrupt(address, binary.Bin, &store.ChecksumError{
			Name: m.Name, Version: m.Version,
			Expected: hashPrefix + binary.SHA256, Actual: hash, By: manifest.File + ", " + string(p),
		})
	}
	return contents{manifest: m, bin: hash}, nil
}

// agrees returns an error unless what was fetched is what was announced.
func (c contents) agrees(a announced, p manifest.Platform) error {
	differ := func(field, expected, actual string) error {
		return mismatch(a.address, a.by, field, expected, actual)
	}
	m := c.manifest
	switch {
	case m.Name != a.name:
		return differ("name", a.name, m.Name)
	case m.Version != a.version:
		return differ("version", a.version, m.Version)
	case !sameNumbers(m.Protocols, a.protocols):
		return differ("protocols", manifest.Numbers(a.protocols), manifest.Numbers(m.Protocols))
	case a.bin != "" && c.bin != a.bin:
		return newCorrupt(a.address, manifest.BinaryName(a.name, p), &store.ChecksumError{
			Name: a.name, Version: a.version, Expected: a.bin, Actual: c.bin, By: a.by + ", " + string(p),
		})
	}
	return nil
}

// newCorrupt completes the error of an archive, or of a file in it, that is not the one announced
// by its source. Nothing of it was executed.
func newCorrupt(address, file string, err *store.ChecksumError) error {
	if err.Path = address; file != "" {
		err.Path += ": " + file
	}
	return fmt.Errorf("%w: it is damaged, or was changed after it was published; try again, or another mirror, and tell the publisher", err)
}

// sameNumbers compares regardless of order.
func sameNumbers(a, b []int) bool {
	in := map[int]bool{}
	for _, n := range a {
		in[n] = true
	}
	for _, n := range b {
		if !in[n] {
			return false
		}
	}
	return len(a) == len(b)
}
