package install

import (
	"context"
	"errors"
	"fmt"

	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// Remove removes a plugin from a lock file, and then from the store unless another
// known lock file names the same version.
func (in *Installer) Remove(ctx context.Context, lockPath, name string) (Answer, error) {
	file, err := in.read(lockPath)
	if err != nil {
		return Answer{}, err
	}
	if _, ok := file.Plugins[name]; !ok {
		return Answer{}, errors.New(file.lacks(name) + "; see which there are: proctor plugin list")
	}
	var e lock.Entry
	err = lock.Change(ctx, lockPath, func(f *lock.File) error {
		e = f.Plugins[name]
		delete(f.Plugins, name)
		return nil
	})
	if err != nil {
		return Answer{}, err
	}
	p := Plugin{Name: name, Version: e.Version, Source: e.Source, Signer: e.Signer, Action: Removed}
	if err := in.reach(stepWritten); err != nil {
		return Answer{}, err
	}
	if p.Note, err = discardVersion(ctx, in, lockPath, name, e.Version); err != nil {
		return Answer{}, fmt.Errorf("plugin %s was removed from %s, but its files could not be removed: %w", name, lockPath, err)
	}
	a := newAnswer("remove", lockPath)
	a.Plugins = append(a.Plugins, p)
	return a, nil
}

// discardVersion removes a version from the store, and reports the result.
func discardVersion(ctx context.Context, in *Installer, lockPath, name, version string) (note string, err error) {
	if version == "" {
		return "", nil
	}
	release, err := in.store.Lock(ctx, name, version, func() { in.cfg.Events.waiting(name, version) })
	if err != nil {
		return "", err
	}
	defer release()
	for _, other := range in.cfg.Locks {
		if other == "" || other == lockPath {
			continue
		}
		file, err := lock.Read(other)
		if err != nil {
			return fmt.Sprintf("its files stay: it is unknown whether %s names it: %v", other, err), nil
		}
		if file.Plugins[name].Version == version {
			return "its files stay: " + other + " names it too", nil
		}
	}
	err = in.store.Remove(ctx, name, version)
	if _, ok := errors.AsType[*store.NotInstalledError](err); ok {
		return "it was not installed", nil
	}
	return "", err
}
