package store

import (
	"bytes"
	"context"
	"path/filepath"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// keep returns the plugin that is already installed, if it equals the one offered, and
// removes the staged directory. It never replaces anything: not even damaged files,
// which somebody may want to examine.
func (p *publication) keep(ctx context.Context) (Installed, error) {
	there, err := p.store.load(p.manifest.Name, p.manifest.Version)
	if err != nil {
		return Installed{}, err
	}
	actual, err := Hash(ctx, there.Path)
	if err != nil {
		return Installed{}, p.failed(err)
	}
	if actual != there.Receipt.Bin {
		return Installed{}, p.mismatch(there.Path, there.Receipt.Bin, actual, filepath.Join(there.Dir, ReceiptFile))
	}
	if err := p.compare(ctx, there); err != nil {
		return Installed{}, err
	}
	if err := p.store.Discard(p.stage); err != nil {
		return Installed{}, p.failed(err)
	}
	return there, nil
}

// compare compares what is offered with an intact installed plugin.
func (p *publication) compare(ctx context.Context, there Installed) error {
	// Another toolchain builds other bytes from the same module.
	if sum := p.receipt.ModuleSum; sum != "" && sum == there.Receipt.ModuleSum {
		return nil
	}
	different := &DifferentError{Name: p.manifest.Name, Version: p.manifest.Version, Path: there.Path, Installed: there.Receipt.Bin, Offered: p.receipt.Bin}
	if different.Installed != different.Offered {
		return different
	}
	installed, err := readSmall(filepath.Join(there.Dir, manifest.File), manifest.MaxSize)
	if err != nil {
		return p.failed(err)
	}
	offered, err := readSmall(filepath.Join(p.stage, manifest.File), manifest.MaxSize)
	if err != nil {
		return p.failed(err)
	}
	if bytes.Equal(installed, offered) {
		return nil
	}
	different.Path = filepath.Join(there.Dir, manifest.File)
	if different.Installed, err = hashOf(ctx, bytes.NewReader(installed)); err != nil {
		return err
	}
	if different.Offered, err = hashOf(ctx, bytes.NewReader(offered)); err != nil {
		return err
	}
	return different
}
