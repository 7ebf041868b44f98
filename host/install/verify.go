package install

import (
	"context"
	"errors"

	"github.com/proctorhq/proctor/host/plugin/held"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// Verify compares the store with a lock file, byte for byte. It changes and executes
// nothing.
func (in *Installer) Verify(ctx context.Context, lockPath string) (Answer, error) {
	file, err := in.read(lockPath)
	if err != nil {
		return Answer{}, err
	}
	return file.forEach(ctx, newAnswer("verify", lockPath), file.names(), func(e lockEntry) (Plugin, error) {
		return verifyPlugin(ctx, in, e)
	})
}

// verifyPlugin compares one plugin.
func verifyPlugin(ctx context.Context, in *Installer, e lockEntry) (Plugin, error) {
	p := e.answer(Verified)
	installed, err := in.check(ctx, e)
	p.Path = installed.Path
	if err == nil && e.ModuleSum != "" {
		p.Note = "by its receipt: it was built here, and nothing else has its hash"
	}
	return p, err
}

// check returns what is installed of a locked plugin, if it matches. The error is a
// [*held.MissingError] if nothing is installed.
func (in *Installer) check(ctx context.Context, e lockEntry) (store.Installed, error) {
	l := held.Locked{Lock: e.file.path, Name: e.name, Entry: e.Entry, Platform: in.cfg.Platform}
	installed, expected, err := l.Lookup(in.store)
	if err != nil {
		return installed, err
	}
	if err := expected.Compare(ctx, installed.Path); err != nil {
		return installed, err
	}
	err = installed.Manifest.Compatible(in.cfg.Protocols)
	if other, ok := errors.AsType[*manifest.ProtocolError](err); ok {
		other.Locked = true
	}
	return installed, err
}
