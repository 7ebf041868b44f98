package source

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// sha256Digits is the length of a hash in a manifest.
const sha256Digits = 64

// about is what a module says about its plugin: a manifest without version and
// platforms.
type about struct {
	Name string
	// template holds its fields as in the module; empty if it says nothing.
	template  map[string]json.RawMessage
	version   string
	protocols []int
}

// about reads the manifest.json beside the package main.
func (g *goModule) about(ctx context.Context, m module, name string, protocols []int) (about, error) {
	a := about{Name: name, version: strings.TrimPrefix(m.Version, "v"), protocols: protocols}
	c, err := openOwnFile(g.directory(m), manifest.File)
	switch {
	case errors.Is(err, fs.ErrNotExist) && name != "":
		return a, nil
	case errors.Is(err, fs.ErrNotExist):
		return about{}, errors.New(g.address() + ": it has no " + manifest.File + ", and its path does not end in " + manifest.BinaryPrefix + "NAME, so its name is unknown")
	case err != nil:
		return about{}, err
	}
	defer c.Close()
	data, err := c.bytes(ctx, manifest.MaxSize)
	if err != nil {
		return about{}, err
	}
	var own struct{ Name string }
	if err := errors.Join(json.Unmarshal(data, &a.template), json.Unmarshal(data, &own)); err != nil {
		return about{}, g.unusable(errors.New(manifest.File + " is not a JSON object with a name"))
	}
	if name != "" && own.Name != name {
		return about{}, mismatch(g.address()+": "+manifest.File, "what was asked for", "name", name, clip(own.Name))
	}
	a.Name = own.Name
	return a, nil
}

// manifest completes it for a platform.
func (a about) manifest(p manifest.Platform, sha256 string) (manifest.Manifest, error) {
	m := manifest.Manifest{
		Schema: manifest.Schema, Name: a.Name, Version: a.version, Protocols: a.protocols,
		Platforms: map[manifest.Platform]manifest.Binary{p: {Bin: manifest.BinaryName(a.Name, p), SHA256: sha256}},
	}
	if a.template == nil {
		return m, m.Check()
	}
	// The fields pass through the one reader of manifests, so that a module cannot say
	// more than an archive.
	fields := map[string]any{}
	for name, value := range a.template {
		fields[name] = value
	}
	fields["version"], fields["platforms"] = m.Version, m.Platforms
	if _, ok := fields["schema"]; !ok {
		fields["schema"] = m.Schema
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return manifest.Manifest{}, err
	}
	return manifest.Parse(data)
}

// copyLicense copies the module's license, if it has one with the usual name.
func (g *goModule) copyLicense(ctx context.Context, m module, dir string) error {
	for _, from := range []string{g.directory(m), filepath.Clean(m.Dir)} {
		err := copyOwnFile(ctx, from, dir, store.LicenseFile, privateFile)
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
