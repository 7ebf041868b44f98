package held

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// Locked is an entry of a lock file, for a platform.
type Locked struct {
	// Lock is the path of the lock file.
	Lock     string
	Name     string
	Entry    lock.Entry
	Platform manifest.Platform
}

// Expectation is what a binary must match.
type Expectation struct {
	// Hash is the expected hash; By says who expects it, in a few words.
	Hash, By string

	name, version, lock string
	// installed is its hash at installation.
	installed string
}

// By names the place in a lock file that has a platform's hashes, for messages.
func By(lockPath string, p manifest.Platform) string {
	return fmt.Sprintf("%s, %s", filepath.Base(lockPath), p)
}

// Lookup returns what is installed of a locked plugin and what its binary must match,
// without reading the binary. The error may be a [*MissingError], a
// [*store.DamagedError] or a [*MismatchError].
func (l Locked) Lookup(s *store.Store) (store.Installed, Expectation, error) {
	x := Expectation{By: By(l.Lock, l.Platform), name: l.Name, version: l.Entry.Version, lock: l.Lock}
	var known bool
	if x.Hash, known = l.Entry.Bin(l.Platform); !known && l.Entry.ModuleSum == "" {
		return store.Installed{}, x, fmt.Errorf("%s has no hash of plugin %s %s for %s; run `proctor plugin lock --platform %s` and review what it adds",
			l.Lock, l.Name, l.Entry.Version, l.Platform, l.Platform)
	}
	installed, err := s.Lookup(l.Name, l.Entry.Version)
	var missing *store.NotInstalledError
	var damaged *store.DamagedError
	switch {
	case errors.As(err, &missing):
		return installed, x, &MissingError{Name: l.Name, Version: l.Entry.Version, Lock: l.Lock, Err: missing}
	case errors.As(err, &damaged):
		return installed, x, fmt.Errorf("%w. To fetch and verify it again: proctor plugin install %s", damaged, l.Name)
	case err != nil:
		return installed, x, err
	}
	x.installed = installed.Receipt.Bin
	if sum := l.Entry.ModuleSum; sum != "" {
		// The binary was built here, so only the receipt has its hash.
		x.Hash, x.By = installed.Receipt.Bin, store.ReceiptFile
		if actual := installed.Receipt.ModuleSum; actual != sum {
			return installed, x, &MismatchError{
				Name: l.Name, Version: l.Entry.Version, Path: filepath.Join(installed.Dir, store.ReceiptFile),
				Expected: sum, Actual: actual, By: filepath.Base(l.Lock) + ", module_sum", Expect: again(l.Name),
			}
		}
	}
	return installed, x, nil
}

// Compare reads a binary and compares it. The error is a [*MismatchError] if it
// differs.
func (x Expectation) Compare(ctx context.Context, path string) error {
	actual, err := store.Hash(ctx, path)
	if err != nil {
		return fmt.Errorf("plugin %s %s cannot be compared with %s: %w", x.name, x.version, x.By, err)
	}
	if actual == x.Hash {
		return nil
	}
	e := &MismatchError{
		Name: x.name, Version: x.version, Path: path, Expected: x.Hash, Actual: actual, By: x.By, Expect: again(x.name),
	}
	if actual == x.installed {
		e.Intact = true
		e.Expect = fmt.Sprintf("proctor plugin remove %s, put %s back as it is now, and proctor plugin sync", x.name, filepath.Base(x.lock))
	}
	return e
}

// again returns the command that reinstalls what is locked.
func again(name string) string {
	return "proctor plugin install " + name + "   (fetches and verifies it again)"
}
