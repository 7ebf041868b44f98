package mcp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/directory"
	"github.com/proctorhq/proctor/host/mcp/limits"
	"github.com/proctorhq/proctor/host/nested"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/workspace"
)

// serverDir returns the directory that the server was started for, whatever is in it.
func serverDir(c *call) (string, error) {
	at := c.session.server.cfg.Place
	if dir := workspace.Getenv(at.Env, byClaude); dir != "" {
		return at.Resolve(at.Dir, dir)
	}
	return at.Resolve(at.Dir, at.Dir)
}

// findProject returns the workspace that a call for tests means. If that is no project, or
// the packages are those of a project below it, it is the one below, and note says so.
func findProject(ctx context.Context, c *call, named string, packages []string) (where api.Where, there []string, note string, err error) {
	where, err = c.findWhere(ctx, named)
	dir := where.Dir
	var (
		placeless *noPlaceError
		none      *api.NoProjectError
	)
	switch {
	case errors.As(err, &placeless):
		var serr error
		if dir, serr = serverDir(c); serr != nil {
			return where, packages, "", err
		}
	case err != nil:
		return where, packages, "", err
	case len(packages) == 0:
		if _, rerr := c.session.keeper.Root(ctx, where); !errors.As(rerr, &none) {
			return where, packages, "", nil
		}
	}
	site, serr := nested.Find(ctx, c.session.keeper, dir)
	if serr != nil || len(site.Below) == 0 {
		return where, packages, "", err
	}
	below, there := site.Holding(packages)
	if below != "" {
		note = "these packages are those of the project " + prose.Line(below)
	} else if site.IsProject {
		return where, packages, "", err
	} else if changed := site.Changed(ctx, c.session.keeper.SourceConfig(dir)); len(changed) != 1 || len(packages) > 0 {
		return where, packages, "", &choicesError{site, changed}
	} else {
		below = changed[0]
		note = "the changed files are all in the project " + prose.Line(below) + ", so only its tests ran"
	}
	c.session.hearOf(below)
	return api.Where{Dir: filepath.Join(dir, filepath.FromSlash(below)), Exact: true}, there, note, nil
}

// orChoices returns what to say of a server without a workspace: the projects below its
// directory, if there are any.
func orChoices(ctx context.Context, c *call, err error) error {
	if _, ok := errors.AsType[*noPlaceError](err); !ok {
		return err
	}
	if dir, serr := serverDir(c); serr == nil {
		if site, serr := nested.Find(ctx, c.session.keeper, dir); serr == nil && len(site.Below) > 0 {
			return &choicesError{site, site.Changed(ctx, c.session.keeper.SourceConfig(dir))}
		}
	}
	return err
}

// choicesError reports that a directory is no project, but has some below it.
type choicesError struct {
	site    nested.Site
	changed []string
}

func (e *choicesError) Error() string {
	name := func(below string) string {
		if slices.Contains(e.changed, below) {
			return prose.Line(below) + " (changed)"
		}
		return prose.Line(below)
	}
	first := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(prose.Line(append(e.changed, e.site.Below...)[0]))
	return fmt.Sprintf("%s is no project itself, but these below it are: %s; name one: \"workspace\":\"%s\"",
		directory.Name(e.site.Dir), prose.Listed(e.site.Below, len(e.site.Below), limits.MaxListed, name), first)
}

// Unwrap makes it the error of a workspace without a project, whose advice it has already.
func (e *choicesError) Unwrap() error      { return &api.NoProjectError{} }
func (e *choicesError) Advise() api.Advice { return api.Advice{} }
