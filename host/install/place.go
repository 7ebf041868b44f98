package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/install/source"
	"github.com/proctorhq/proctor/host/plugin/held"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// order is a release to be put into the store.
type order struct {
	src     source.Source
	release source.Release
	// source and signer are as in a lock file; from is what is read instead of source,
	// if set.
	source, signer, from string
	// wants are the expected hashes, each with who expects it.
	wants []want
	// repair means that a changed installation may be replaced.
	repair bool
}

// address returns what is read.
func (o order) address() string { return cmp.Or(o.from, o.source) }

// want holds expected hashes of the archive and the binary; empty means anything.
type want struct {
	hashes lock.Hashes
	by     string
	// expect says what to do if the difference is intended.
	expect string
}

// The advice that goes with an expected hash.
const (
	expectGiven     = "give the hash that its publisher says, or none"
	expectPublished = "nothing you can do: the source contradicts itself; ask its publisher"
)

// expectLocked is the advice if a lock file expects a hash.
func expectLocked(name string) string {
	return "proctor plugin remove " + name + ", then install it again with its source"
}

// placed is a plugin in the store.
type placed struct {
	store.Installed
	already bool
}

// place puts a release into the store atomically: lock, fetch, compare, publish.
func (in *Installer) place(ctx context.Context, o order) (placed, error) {
	r := o.release
	if err := o.checkAnnounced(in.cfg.Platform); err != nil {
		return placed{}, err
	}
	release, err := in.store.Lock(ctx, r.Name, r.Version, func() { in.cfg.Events.waiting(r.Name, r.Version) })
	if err != nil {
		return placed{}, fmt.Errorf("installing plugin %s %s: %w", r.Name, r.Version, err)
	}
	defer release()
	if err := in.reach(stepLocked); err != nil {
		return placed{}, err
	}
	present, damaged, err := in.findInstalled(ctx, r.Name, r.Version)
	if err != nil {
		return placed{}, err
	}
	if present != nil && !damaged && o.metBy(present.Receipt, in.cfg.Platform) {
		return placed{*present, true}, nil
	}
	stage, discard, err := in.scratch(ctx)
	if err != nil {
		return placed{}, err
	}
	defer discard()
	in.cfg.Events.fetching(r.Name, r.Version, o.address())
	fetched, err := o.src.Fetch(ctx, r, in.cfg.Platform, stage)
	if err != nil {
		return placed{}, o.fetchError(err)
	}
	if err := in.reach(stepFetched); err != nil {
		return placed{}, err
	}
	m, got, err := in.inspect(o, stage, fetched)
	if err != nil {
		return placed{}, err
	}
	if err := in.reach(stepCleared); err != nil {
		return placed{}, err
	}
	// The hash of a Go module's binary is known only once it is built.
	another := present != nil && r.ModuleSum != "" && present.Receipt.Bin != got.Bin
	if (damaged || another) && o.repair {
		tell := in.cfg.Events.replacing
		if !damaged {
			tell, damaged = in.cfg.Events.rebuilt, true
		}
		tell(r.Name, r.Version, filepath.Join(in.store.Dir(), r.Name, r.Version))
		if err := in.store.Remove(ctx, r.Name, r.Version); err != nil {
			return placed{}, err
		}
	}
	installed, err := in.store.Publish(ctx, stage, m, store.Receipt{
		Schema: store.ReceiptSchema, Source: o.source, Signer: o.signer, Archive: got.Archive, Bin: got.Bin,
		ModuleSum: r.ModuleSum, Toolchain: fetched.Toolchain,
		InstalledAt: in.cfg.Now().UTC(), InstalledBy: in.cfg.HostVersion,
	})
	if err != nil {
		return placed{}, o.explain(err)
	}
	return placed{installed, present != nil && !damaged}, in.reach(stepPublished)
}

// checkAnnounced compares what the source announces with what is expected, before anything
// is fetched.
func (o order) checkAnnounced(p manifest.Platform) error {
	h, known := o.release.Hashes[p]
	if !known {
		if len(o.release.Hashes) > 0 {
			return noPlatform(o.release.Name, o.release.Version, o.address(), p)
		}
		return nil
	}
	return o.compare(h)
}

// compare compares hashes with the expected ones, as far as known.
func (o order) compare(got lock.Hashes) error {
	for _, w := range o.wants {
		for _, pair := range [][2]string{{w.hashes.Archive, got.Archive}, {w.hashes.Bin, got.Bin}} {
			if pair[0] != "" && pair[1] != "" && pair[0] != pair[1] {
				return &held.MismatchError{Name: o.release.Name, Version: o.release.Version, Path: o.address(),
					Expected: pair[0], Actual: pair[1], By: w.by, Fetched: true, Expect: w.expect}
			}
		}
	}
	return nil
}

// metBy reports whether an installed plugin certainly equals what would be fetched. The
// result of building a Go module is only in its receipt, beside the binary:
// reinstalling rebuilds it.
func (o order) metBy(r store.Receipt, p manifest.Platform) bool {
	if o.release.ModuleSum != "" {
		return !o.repair && r.ModuleSum == o.release.ModuleSum
	}
	h, known := o.release.Hashes[p]
	return known && h.Bin != "" && h.Bin == r.Bin && h.Archive == r.Archive
}

// findInstalled returns what is installed, and whether it changed since; nil if nothing is.
func (in *Installer) findInstalled(ctx context.Context, name, version string) (_ *store.Installed, damaged bool, err error) {
	installed, err := in.store.Lookup(name, version)
	var missing *store.NotInstalledError
	var broken *store.DamagedError
	switch {
	case errors.As(err, &missing):
		return nil, false, nil
	case errors.As(err, &broken):
		return &installed, true, nil
	case err != nil:
		return nil, false, err
	}
	hash, err := store.Hash(ctx, installed.Path)
	if err != nil && ctx.Err() != nil {
		return nil, false, err
	}
	return &installed, err != nil || hash != installed.Receipt.Bin, nil
}

// inspect compares what was fetched with what was announced and expected.
func (in *Installer) inspect(o order, stage string, fetched source.Fetched) (manifest.Manifest, lock.Hashes, error) {
	r, p := o.release, in.cfg.Platform
	refuse := func(format string, args ...any) error {
		return rejected(r.Name, r.Version, o.address(), fmt.Sprintf(format, args...))
	}
	var got lock.Hashes
	data, err := readSmall(filepath.Join(stage, manifest.File), manifest.MaxSize)
	if errors.Is(err, os.ErrNotExist) {
		return manifest.Manifest{}, got, refuse("it has no %s", manifest.File)
	}
	if err != nil {
		return manifest.Manifest{}, got, refuse("%v", err)
	}
	m, err := manifest.Parse(data)
	if err != nil {
		return m, got, refuse("%v", err)
	}
	binary, ok := m.Platforms[p]
	switch {
	case m.Name != r.Name || m.Version != r.Version:
		return m, got, refuse("its %s is of %s %s", manifest.File, m.Name, m.Version)
	case !ok:
		return m, got, noPlatform(r.Name, r.Version, o.address(), p)
	}
	if err := m.Compatible(in.cfg.Protocols); err != nil {
		return m, got, err
	}
	got = lock.Hashes{Archive: fetched.Archive, Bin: lock.Hash(binary.SHA256)}
	o.wants = append([]want{{r.Hashes[p], o.address(), expectPublished}}, o.wants...)
	for _, w := range o.wants {
		if w.hashes.Archive != "" && got.Archive == "" {
			return m, got, refuse("it is not an archive, and %s has the hash of one", w.by)
		}
	}
	return m, got, o.compare(got)
}

// fetchError wraps the error of a source.
func (o order) fetchError(err error) error {
	if sum, ok := errors.AsType[*store.ChecksumError](err); ok {
		return &held.MismatchError{Name: o.release.Name, Version: o.release.Version, Path: o.address(), Expected: sum.Expected, Actual: sum.Actual,
			By: sum.By, Fetched: true, Expect: expectPublished}
	}
	return unobtainable(o.release.Name, o.release.Version, o.address(), err)
}

// explain says what to do about an error of the store.
func (o order) explain(err error) error {
	var other *store.DifferentError
	var sum *store.ChecksumError
	switch {
	case errors.As(err, &other):
		return &ConflictError{Name: o.release.Name, Version: o.release.Version, Source: o.address(), Err: other}
	case errors.As(err, &sum):
		return &held.MismatchError{Name: o.release.Name, Version: o.release.Version, Path: o.address(), Expected: sum.Expected,
			Actual: sum.Actual, By: "its " + manifest.File, Fetched: true, Expect: expectPublished}
	}
	return err
}
