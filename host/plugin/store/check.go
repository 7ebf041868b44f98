package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// The modes of published files, which nobody changes any more.
const (
	fileMode    = 0o444
	programMode = 0o555
	// ownerWritable is added while a file is synced.
	ownerWritable = 0o200
)

func (p *publication) binary() string { return manifest.BinaryName(p.manifest.Name, p.store.platform) }

// check verifies everything in the staged directory, and makes its files read-only.
func (p *publication) check(ctx context.Context) error {
	m, s := p.manifest, p.store
	if err := m.Check(); err != nil {
		return p.refuse(p.stage, "%v", err)
	}
	if err := s.fits(m, m.Name, m.Version); err != nil {
		return p.refuse(p.stage, "%v", err)
	}
	if !s.isStage(p.stage) {
		return p.refuse(p.stage, "it was not staged in %s", s.dir)
	}
	if err := errors.Join(s.checkStaging(), examine(p.stage, fs.FileMode.IsDir, "a directory")); err != nil {
		return p.refuse(p.stage, "%s", reason(err))
	}
	if err := p.checkFiles(ctx); err != nil {
		return err
	}
	at := filepath.Join(p.stage, manifest.File)
	data, err := readSmall(at, manifest.MaxSize)
	if err != nil {
		return p.failed(err)
	}
	// An author's manifest may say more than this proctor understands, so it stays as
	// is, and must mean the same.
	staged, err := manifest.Parse(data)
	if err != nil {
		return p.refuse(at, "%v", err)
	}
	if !bytes.Equal(staged.Encode(), m.Encode()) {
		return p.refuse(at, "it is not the manifest that was resolved")
	}
	return p.checkBinary(ctx)
}

// checkFiles makes sure that the staged directory holds a plugin's files, on disk and
// unchangeable.
func (p *publication) checkFiles(ctx context.Context) error {
	modes := map[string]fs.FileMode{manifest.File: fileMode, p.binary(): programMode, LicenseFile: fileMode}
	entries, err := os.ReadDir(p.stage)
	if err != nil {
		return p.failed(err)
	}
	found := map[string]bool{}
	for _, e := range entries {
		path := filepath.Join(p.stage, e.Name())
		mode, ours := modes[e.Name()]
		if !ours {
			return p.refuse(path, "a plugin is %s, %s and %s, and nothing else", manifest.File, p.binary(), LicenseFile)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.seal(path, mode); err != nil {
			return err
		}
		found[e.Name()] = true
	}
	for _, name := range []string{manifest.File, p.binary()} {
		if !found[name] {
			return p.refuse(filepath.Join(p.stage, name), "it is missing")
		}
	}
	return nil
}

// seal gives a file its final mode, and syncs it.
func (p *publication) seal(path string, mode fs.FileMode) error {
	info, err := os.Lstat(path)
	if err != nil {
		return p.failed(err)
	}
	if !info.Mode().IsRegular() || hardLinked(info) {
		return p.refuse(path, "it is not a regular file with one name only")
	}
	// Windows syncs only writable files.
	if err := os.Chmod(path, mode|ownerWritable); err != nil {
		return p.failed(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return p.failed(err)
	}
	if err := errors.Join(f.Chmod(mode), p.store.sync(f), f.Close()); err != nil {
		return p.failed(err)
	}
	return nil
}

// checkBinary compares the binary with the manifest, and both with the receipt.
func (p *publication) checkBinary(ctx context.Context) error {
	path := filepath.Join(p.stage, p.binary())
	actual, err := Hash(ctx, path)
	if err != nil {
		return p.failed(err)
	}
	expected := hashScheme + p.manifest.Platforms[p.store.platform].SHA256
	if actual != expected {
		return p.mismatch(path, expected, actual, fmt.Sprintf("%s, %s", manifest.File, p.store.platform))
	}
	if p.receipt.Bin != "" && p.receipt.Bin != actual {
		return p.mismatch(path, p.receipt.Bin, actual, "what was resolved")
	}
	p.receipt.Schema, p.receipt.Bin = ReceiptSchema, actual
	return nil
}
