package source

import (
	"context"
	"crypto/x509"
	"errors"
	"time"

	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// Source is a place that plugins come from.
type Source interface {
	// Resolve finds the release that a query means. It fetches nothing that could be
	// executed, but it does fetch the sources of a Go module. If there is none in an
	// index, the error is an [*index.NoVersionError].
	Resolve(ctx context.Context, q Query) (Release, error)
	// Fetch puts a release's files for a platform into an empty directory:
	// manifest.json, the binary, LICENSE. After an error the directory is empty again.
	Fetch(ctx context.Context, r Release, p manifest.Platform, dir string) (Fetched, error)
	// Archive writes a release's archive for a platform to a new file, exactly as at
	// its origin. A source without archives returns an error.
	Archive(ctx context.Context, r Release, p manifest.Platform, file string) error
}

// Query says which release is wanted.
type Query struct {
	// Name may be empty if the source has only one plugin.
	Name string
	// Constraint is as hashicorp/go-version understands it; empty means any.
	Constraint string
	Platform   manifest.Platform
	// Protocols are those of the host.
	Protocols []int
}

// Release is one version of a plugin at its source.
type Release struct {
	Name, Version string
	Protocols     []int
	// Hashes are by platform, as far as the source knows them before fetching.
	Hashes map[manifest.Platform]lock.Hashes
	// ModuleSum is that of a Go module. Unvouched reports whether the user's Go
	// settings keep it from being compared with the checksum database.
	ModuleSum string
	Unvouched bool
	// Signed is what an index's signature covers; nil for other sources.
	Signed *Signed
	// private is what the source remembers for Fetch.
	private any
}

// Signed is an index and the files beside it, as fetched.
type Signed struct {
	Data []byte
	// Signature is empty if there is none; PublicKey is the content of minisign.pub
	// beside the index, for a first use.
	Signature, PublicKey []byte
}

// Fetched is what only fetching reveals.
type Fetched struct {
	// Archive is the hash of the archive, "sha256:…"; empty if there is none.
	Archive string
	// Toolchain is what built a Go module.
	Toolchain string
}

// Config configures sources.
type Config struct {
	// Env is the user's environment, for the go command.
	Env []string
	// Temp is a directory for downloads, in the store's file system. It need not exist.
	// Its content is removed again; only a kill leaves it behind.
	Temp string
	// Offline reports whether the network is off limits; whatever needs it is an error.
	Offline bool

	// In tests, roots replaces the system's certificates, idle the [idleLimit] and
	// whole the [wholeLimit].
	roots       *x509.CertPool
	idle, whole time.Duration
}

// Open returns the source of a specification. It touches nothing; a relative path is
// relative to the working directory. A name is an error: only a lock file knows its
// source.
func Open(cfg Config, spec Spec) (Source, error) {
	switch spec.Kind {
	case Local:
		return &local{cfg: cfg, path: spec.Address, name: spec.Name}, nil
	case Index:
		return openCatalogue(cfg, spec)
	case GoModule:
		return &goModule{cfg: cfg, pkg: spec.Address, name: spec.Name}, nil
	case Named:
		return nil, errors.New(spec.Address + ": it is a name, and only a lock file knows where a name comes from")
	}
	return nil, &SpecError{Text: clip(spec.Address), Reason: "it has no kind"}
}
