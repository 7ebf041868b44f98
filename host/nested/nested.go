package nested

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/git"
	"github.com/proctorhq/proctor/host/ledger"
)

// maxProjects bounds the projects that are looked at: asking plugins about each takes a
// few milliseconds.
const maxProjects = 100

// Site is a directory with projects below it.
type Site struct {
	Dir string
	// IsProject reports whether the directory is itself a project.
	IsProject bool
	// Below are the projects below it, as slash-separated paths relative to it.
	Below []string
}

// Find finds the projects below a directory that plugins leave out of a run there.
func Find(ctx context.Context, k *ledger.Keeper, dir string) (Site, error) {
	s := Site{Dir: dir}
	projects, err := k.Projects(ctx, api.Where{Dir: dir, Exact: true}, nil)
	var (
		none *api.NoProjectError
		left []string
	)
	switch {
	case err == nil:
		s.IsProject = true
		for _, p := range projects {
			for _, u := range p.Untested {
				left = append(left, u.Path)
			}
		}
	case errors.As(err, &none):
		for _, d := range none.Declined {
			left = append(left, d.Path)
		}
	default:
		return s, err
	}
	slices.Sort(left)
	for _, below := range slices.Compact(left) {
		below = path.Clean(filepath.ToSlash(below))
		if below == "." || !filepath.IsLocal(filepath.FromSlash(below)) || len(s.Below) == maxProjects {
			continue
		}
		where := api.Where{Dir: filepath.Join(dir, filepath.FromSlash(below)), Exact: true}
		if _, err := k.Root(ctx, where); err == nil {
			s.Below = append(s.Below, below)
		}
	}
	return s, ctx.Err()
}

// Holding returns the project below the directory that holds all of some packages, and
// their names there; "" if there is none. Only packages that are named as paths are found.
func (s Site) Holding(packages []string) (below string, named []string) {
	if len(packages) == 0 {
		return "", nil
	}
	for _, name := range packages {
		at, rest := s.findHolding(name)
		if at == "" || below != "" && at != below {
			return "", nil
		}
		below, named = at, append(named, rest)
	}
	return below, named
}

// findHolding returns the innermost project that holds a package, and its name there.
func (s Site) findHolding(name string) (below, rest string) {
	rel := path.Clean(filepath.ToSlash(name))
	if filepath.IsAbs(name) {
		at, err := filepath.Rel(s.Dir, name)
		if err != nil {
			return "", ""
		}
		rel = filepath.ToSlash(at)
	}
	for _, at := range s.Below {
		if (rel == at || strings.HasPrefix(rel, at+"/")) && len(at) > len(below) {
			below, rest = at, "."+strings.TrimPrefix(rel, at)
		}
	}
	return below, rest
}

// Changed returns the projects below the directory with files that differ from the last
// commit. Without git nothing has changed.
func (s Site) Changed(ctx context.Context, cfg fingerprint.Config) []string {
	if cfg.Git == "" {
		return nil
	}
	out, err := git.New(cfg.Git, cfg.Env).In(s.Dir).Run(ctx, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--", ".")
	if err != nil {
		return nil
	}
	prefix, err := git.New(cfg.Git, cfg.Env).In(s.Dir).Line(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return nil
	}
	var changed []string
	for record := range strings.SplitSeq(string(out), "\x00") {
		const status = len("XY ")
		if len(record) <= status {
			continue
		}
		if at, _ := s.findHolding(strings.TrimPrefix(record[status:], prefix)); at != "" && !slices.Contains(changed, at) {
			changed = append(changed, at)
		}
	}
	slices.Sort(changed)
	return changed
}
