package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/atomicfile"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// Publish turns a staged directory into the installed plugin. The directory holds
// manifest.json, the binary and perhaps LICENSE. Publish checks the binary against the
// manifest, writes the receipt, makes everything read-only and syncs it before the
// rename. It fills in the receipt's schema and, if empty, the hash of the binary. The
// caller holds the [Store.Lock].
//
// If the same content is installed already, with the same manifest and binary or built
// from the same Go module, Publish returns that and removes the staged directory. The
// error is a [*DifferentError] for other content; a [*DamagedError] if what is
// installed is incomplete; and a [*ChecksumError] if a binary is not what a manifest or
// receipt says.
// After an error it still belongs to the caller.
func (s *Store) Publish(ctx context.Context, stage string, m manifest.Manifest, r Receipt) (Installed, error) {
	p := &publication{store: s, stage: stage, manifest: m, receipt: r}
	if err := p.check(ctx); err != nil {
		return Installed{}, err
	}
	s.step("checked")
	target := s.target(m.Name, m.Version)
	if _, err := os.Lstat(target); err == nil {
		return p.keep(ctx)
	}
	if err := p.writeReceipt(); err != nil {
		return Installed{}, p.failed(err)
	}
	s.step("receipt")
	if err := errors.Join(s.makeDirs(m.Name, m.Version), s.syncDir(stage)); err != nil {
		return Installed{}, p.failed(err)
	}
	s.step("synced")
	if err := ctx.Err(); err != nil {
		return Installed{}, err
	}
	if err := atomicfile.Rename(stage, target); err != nil {
		if _, there := os.Lstat(target); there == nil {
			return p.keep(ctx)
		}
		return Installed{}, p.failed(err)
	}
	s.step("renamed")
	if err := s.syncDirs(m.Name, m.Version); err != nil {
		return Installed{}, p.failed(err)
	}
	s.release(stage)
	s.step("published")
	return s.load(m.Name, m.Version)
}

// publication is one call of Publish.
type publication struct {
	store    *Store
	stage    string
	manifest manifest.Manifest
	receipt  Receipt
}

func (p *publication) failed(err error) error {
	return fmt.Errorf("install plugin %s %s: %w", p.manifest.Name, p.manifest.Version, err)
}

func (p *publication) refuse(path, format string, args ...any) error {
	return fmt.Errorf("plugin %s %s is not installed: %s: %s", p.manifest.Name, p.manifest.Version, path, fmt.Sprintf(format, args...))
}

func (p *publication) mismatch(path, expected, actual, by string) error {
	return &ChecksumError{Name: p.manifest.Name, Version: p.manifest.Version, Path: path, Expected: expected, Actual: actual, By: by}
}

func (p *publication) writeReceipt() error {
	data, err := p.receipt.encode()
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(p.stage, ReceiptFile), fileMode, data)
}
