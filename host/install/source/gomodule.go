package source

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/host/install/archive"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// goModule is a package main of a Go module.
type goModule struct {
	cfg Config
	// pkg is its path; name is that of the plugin, if its path has one.
	pkg, name string
}

// goRelease is what a goModule remembers of a release.
type goRelease struct {
	module module
	about  about
}

func (g *goModule) address() string { return modulePrefix + g.pkg }

// Resolve selects a version of the module and has its sources fetched, but not built:
// their hash is locked, and they contain the manifest.
func (g *goModule) Resolve(ctx context.Context, q Query) (Release, error) {
	work, remove, err := g.cfg.workDir()
	if err != nil {
		return Release{}, err
	}
	defer remove()
	cmd, err := newGoCommand(ctx, g.cfg, g.address(), work)
	if err != nil {
		return Release{}, err
	}
	m, err := g.find(ctx, cmd, q)
	if err != nil {
		return Release{}, err
	}
	a, err := g.about(ctx, m, cmp.Or(q.Name, g.name), q.Protocols)
	if err != nil {
		return Release{}, err
	}
	// The binary does not exist yet; everything else can be checked.
	described, err := a.manifest(manifest.ThisPlatform(), strings.Repeat("0", sha256Digits))
	if err != nil {
		return Release{}, g.unusable(err)
	}
	if err := described.Compatible(q.Protocols); err != nil {
		return Release{}, err
	}
	return Release{
		Name: described.Name, Version: described.Version, Protocols: described.Protocols,
		ModuleSum: m.Sum, Unvouched: !cmd.vouched(m.Path), private: goRelease{m, a},
	}, nil
}

// Fetch builds the binary and writes its manifest.
func (g *goModule) Fetch(ctx context.Context, r Release, p manifest.Platform, dir string) (Fetched, error) {
	of, ok := r.private.(goRelease)
	if !ok {
		return Fetched{}, errors.New(g.address() + ": the release is not one of this module")
	}
	if p != manifest.ThisPlatform() {
		return Fetched{}, errors.New(g.address() + ": a Go module is built where it is used, and this is not " + string(p))
	}
	work, remove, err := g.cfg.workDir()
	if err != nil {
		return Fetched{}, err
	}
	defer remove()
	cmd, err := newGoCommand(ctx, g.cfg, g.address(), work)
	if err != nil {
		return Fetched{}, err
	}
	if _, err := cmd.run(ctx, "install", "-trimpath", g.pkg+"@"+of.module.Version); err != nil {
		return Fetched{}, err
	}
	built, err := g.built(cmd.bin)
	if err != nil {
		return Fetched{}, err
	}
	info, err := buildinfo.ReadFile(built)
	if err != nil {
		return Fetched{}, g.unusable(err)
	}
	// Another go command, or another proxy, could have had another module.
	if info.Main.Sum != r.ModuleSum || info.Main.Path != of.module.Path {
		return Fetched{}, mismatch(g.address()+"@"+of.module.Version, "what was resolved", "sum",
			of.module.Path+" "+r.ModuleSum, info.Main.Path+" "+cmp.Or(info.Main.Sum, "none"))
	}
	err = intoEmpty(dir, func() error { return g.layOut(ctx, of, p, built, dir) })
	if err != nil {
		return Fetched{}, err
	}
	return Fetched{Toolchain: info.GoVersion}, nil
}

// Archive is unsupported: a module is sources.
func (g *goModule) Archive(context.Context, Release, manifest.Platform, string) error {
	return errors.New(g.address() + ": a Go module has no archives; mirror it with a module proxy (GOPROXY)")
}

// built returns the one program that was built.
func (g *goModule) built(bin string) (string, error) {
	entries, err := os.ReadDir(bin)
	if err != nil {
		return "", g.unusable(err)
	}
	if len(entries) != 1 || !entries[0].Type().IsRegular() {
		return "", g.unusable(errors.New("no program was built: it is not a package main"))
	}
	return filepath.Join(bin, entries[0].Name()), nil
}

// layOut assembles the files of a plugin.
func (g *goModule) layOut(ctx context.Context, of goRelease, p manifest.Platform, built, dir string) error {
	binary, err := openOwnFile(filepath.Dir(built), filepath.Base(built))
	if err != nil {
		return err
	}
	defer binary.Close()
	hash, err := binary.save(ctx, filepath.Join(dir, manifest.BinaryName(of.about.Name, p)), archive.MaxFile, privateProgram)
	if err != nil {
		return err
	}
	m, err := of.about.manifest(p, strings.TrimPrefix(hash, hashPrefix))
	if err != nil {
		return g.unusable(err)
	}
	if err := os.WriteFile(filepath.Join(dir, manifest.File), m.Encode(), privateFile); err != nil {
		return err
	}
	return g.copyLicense(ctx, of.module, dir)
}

func (g *goModule) unusable(err error) error {
	return &FetchError{Address: g.address(), Reason: reasonOf(err), Err: err}
}
