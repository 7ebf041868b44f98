package source

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/install/archive"
	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

const (
	// maxSignature is the longest signature or key, in bytes: with minisign's comments
	// they have 400.
	maxSignature = 8 << 10
	// maxListed is how many plugins of an index an error names.
	maxListed = 10
)

// catalogue is an index and the files beside it.
type catalogue struct {
	cfg  Config
	base *url.URL
	// address is that of the index as shown in messages.
	address, name string
	web           *web
}

// chosen is what a catalogue remembers of a release.
type chosen struct{ version index.Version }

func openCatalogue(cfg Config, spec Spec) (*catalogue, error) {
	base, err := url.Parse(spec.Address)
	if err != nil {
		return nil, &SpecError{Text: redacted(spec.Address), Reason: "it is not an address"}
	}
	return &catalogue{cfg: cfg, base: base, address: spec.Address, name: spec.Name, web: newWeb(cfg)}, nil
}

// Resolve fetches the index with its signature and key, and selects a version. Hashes
// cover all platforms of the version.
func (c *catalogue) Resolve(ctx context.Context, q Query) (Release, error) {
	signed, err := c.fetchIndex(ctx)
	if err != nil {
		return Release{}, err
	}
	x, err := index.Parse(signed.Data)
	if err != nil {
		return Release{}, &FetchError{Address: c.address, Reason: clipTo(err.Error(), maxSaid), Err: err}
	}
	name, err := c.choosePlugin(x, cmp.Or(q.Name, c.name))
	if err != nil {
		return Release{}, err
	}
	version, err := x.Select(name, q.Constraint, q.Platform, q.Protocols)
	if err != nil {
		return Release{}, err
	}
	v := x.Plugins[name].Versions[version]
	hashes := make(map[manifest.Platform]lock.Hashes, len(v.Files))
	for p, f := range v.Files {
		hashes[p] = lock.Hashes{Archive: hashPrefix + f.SHA256, Bin: hashPrefix + f.BinSHA256}
	}
	return Release{
		Name: name, Version: version, Protocols: v.Protocols, Hashes: hashes, Signed: &signed, private: chosen{v},
	}, nil
}

// Fetch downloads the archive, compares it with the index, and only then unpacks it.
func (c *catalogue) Fetch(ctx context.Context, r Release, p manifest.Platform, dir string) (Fetched, error) {
	work, remove, err := c.cfg.workDir()
	if err != nil {
		return Fetched{}, err
	}
	defer remove()
	packed := filepath.Join(work, "archive")
	address, hash, err := c.download(ctx, r, p, packed, privateFile)
	if err != nil {
		return Fetched{}, err
	}
	err = intoEmpty(dir, func() error {
		got, err := unpack(ctx, packed, dir, p, address)
		if err != nil {
			return err
		}
		return got.agrees(announced{
			name: r.Name, version: r.Version, protocols: r.Protocols, bin: r.Hashes[p].Bin,
			address: address, by: c.address,
		}, p)
	})
	if err != nil {
		return Fetched{}, err
	}
	return Fetched{Archive: hash}, nil
}

// Archive downloads the archive and compares it with the index.
func (c *catalogue) Archive(ctx context.Context, r Release, p manifest.Platform, file string) error {
	_, _, err := c.download(ctx, r, p, file, publicFile)
	return err
}

// download writes the archive to a new file, if it is the one in the index.
func (c *catalogue) download(ctx context.Context, r Release, p manifest.Platform, file string, mode os.FileMode) (address, hash string, err error) {
	of, ok := r.private.(chosen)
	if !ok {
		return "", "", errors.New(c.address + ": the release is not one of this index")
	}
	f, ok := of.version.Files[p]
	if !ok || !fs.ValidPath(f.URL) {
		return "", "", errors.New(c.address + ": it has no archive of " + r.Name + " " + r.Version + " for " + string(p))
	}
	from, err := c.open(ctx, beside(c.base, f.URL))
	if missing, ok := errors.AsType[*FetchError](err); ok && errors.Is(err, fs.ErrNotExist) {
		missing.Reason += ", and the index names it: a copy that `proctor plugin mirror` made has only what was locked, for sync --mirror"
	}
	if err != nil {
		return "", "", err
	}
	defer from.Close()
	hash, err = from.save(ctx, file, archive.MaxSize, mode)
	if err != nil {
		return "", "", err
	}
	if expected := r.Hashes[p].Archive; hash != expected {
		_ = os.Remove(file)
		return "", "", newCorrupt(from.address, "", &store.ChecksumError{
			Name: r.Name, Version: r.Version, Expected: expected, Actual: hash, By: c.address + ", " + string(p),
		})
	}
	return from.address, hash, nil
}

// fetchIndex fetches an index with its signature and key. The signature counts as absent
// only if the origin says so; any other failure is an error, since somebody in between could
// otherwise strip it.
func (c *catalogue) fetchIndex(ctx context.Context) (Signed, error) {
	data, err := c.read(ctx, c.base, index.MaxSize)
	if err != nil {
		return Signed{}, err
	}
	file := filepath.Base(filepath.FromSlash(c.base.Path))
	signature, err := c.readAny(ctx, beside(c.base, file+index.SignatureSuffix))
	if err != nil {
		return Signed{}, err
	}
	key, err := c.readAny(ctx, beside(c.base, index.KeyFile))
	if err != nil {
		return Signed{}, err
	}
	return Signed{Data: data, Signature: signature, PublicKey: key}, nil
}

// readAny reads an optional file.
func (c *catalogue) readAny(ctx context.Context, address *url.URL) ([]byte, error) {
	data, err := c.read(ctx, address, maxSignature)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if refused, ok := errors.AsType[*FetchError](err); ok && refused.Status == http.StatusForbidden {
		// Nobody in between may strip a signature by refusing it.
		refused.Reason += "; if the file is not there its server has to answer 404, which some do only where they may list files"
	}
	return data, err
}

func (c *catalogue) read(ctx context.Context, address *url.URL, limit int64) ([]byte, error) {
	from, err := c.open(ctx, address)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	return from.bytes(ctx, limit)
}

func (c *catalogue) open(ctx context.Context, address *url.URL) (*content, error) {
	if address.Scheme == "file" {
		return openFile(fileOf(address.Path, onWindows))
	}
	if c.cfg.Offline {
		return nil, errors.New(address.String() + " is not fetched with --offline")
	}
	return c.web.open(ctx, address)
}

// choosePlugin returns the name of the requested plugin.
func (c *catalogue) choosePlugin(x index.Index, name string) (string, error) {
	if name != "" {
		return name, nil
	}
	var have []string
	for n := range x.Plugins {
		have = append(have, n)
	}
	slices.Sort(have)
	switch {
	case len(have) == 1:
		return have[0], nil
	case len(have) == 0:
		return "", &SpecError{Text: c.address, Reason: "the index is empty"}
	}
	more := ""
	if len(have) > maxListed {
		have, more = have[:maxListed], " and others"
	}
	return "", &SpecError{Text: c.address, Reason: "the index has several plugins (" + strings.Join(have, ", ") + more + "); name one, such as " + c.address + "#" + have[0]}
}
