package project

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// PluginList lists all plugins, as far as possible without executing any.
type PluginList struct {
	Schema string `json:"schema"`
	// Locks are the lock files that apply here, the project's first.
	Locks []string `json:"locks"`
	// Store is the directory of installed plugins.
	Store string `json:"store,omitempty"`
	// Plugins are those that a run here would use.
	Plugins []PluginInUse `json:"plugins"`
	// Refused are plugins that were found or are locked but will not be started.
	Refused []PluginRefused `json:"refused,omitempty"`
	// Unused are installed plugins that no applicable lock file names.
	Unused []PluginInUse `json:"unused,omitempty"`
	// Unusable are plugins in the store that are damaged or for another platform, and
	// that nothing here needs.
	Unusable []PluginRefused `json:"unusable,omitempty"`
}

// PluginOrigin is why a plugin is used.
type PluginOrigin string

// The origins, the strongest first.
const (
	// OriginNamed means named with --plugin or PROCTOR_PLUGIN_NAME.
	OriginNamed PluginOrigin = "named"
	// OriginProject and OriginUser mean named by a lock file.
	OriginProject PluginOrigin = "project"
	OriginUser    PluginOrigin = "user"
	// OriginBundled means found beside proctor.
	OriginBundled PluginOrigin = "bundled"
	// OriginNone means installed but not used.
	OriginNone PluginOrigin = "none"
)

// PluginInUse is one plugin.
type PluginInUse struct {
	// Schema is set only in an answer about a single plugin.
	Schema string       `json:"schema,omitempty"`
	Name   string       `json:"name"`
	Origin PluginOrigin `json:"origin"`
	Path   string       `json:"path"`
	// Version is empty if only the plugin itself knows it.
	Version string `json:"version,omitempty"`
	// Lock is the lock file that names it, and Hash the hash recorded there.
	Lock string `json:"lock,omitempty"`
	Hash string `json:"hash,omitempty"`
	// Manifest and Receipt are those of an installed one.
	Manifest *manifest.Manifest `json:"manifest,omitempty"`
	Receipt  *store.Receipt     `json:"receipt,omitempty"`
}

// PluginRefused is a plugin that will not be started.
type PluginRefused struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Path    string `json:"path,omitempty"`
	Lock    string `json:"lock,omitempty"`
	Reason  string `json:"reason"`
	// Code is the reason for programs to act on; empty if there is nothing to act on.
	Code string `json:"code,omitempty"`
}

// ListPlugins lists all plugins without executing any. It verifies those that a lock
// file names.
func ListPlugins(ctx context.Context, h *Host, where api.Where) (PluginList, error) {
	list := PluginList{Schema: "proctor.plugin-list/v1", Store: h.Cfg.PluginStore, Locks: []string{}, Plugins: []PluginInUse{}}
	if st, err := os.Stat(cmp.Or(where.Dir, ".")); err != nil || !st.IsDir() {
		return list, &api.DirectoryError{Dir: where.Dir, Err: cmp.Or(errors.Unwrap(err), error(syscall.ENOTDIR))}
	}
	found, err := h.finder(where).Find(ctx)
	if err != nil {
		return list, err
	}
	list.Locks = append(list.Locks, found.Locks...)
	for _, r := range found.Refused {
		list.Refused = append(list.Refused, refusedPlugin(r))
	}
	installed, rejected, err := listStored(ctx, h)
	if err != nil {
		return list, err
	}
	for _, c := range found.Candidates {
		if err := c.Verify(ctx); err != nil {
			list.Refused = append(list.Refused, refusedPlugin(plugin.Refused{Name: c.Name, Path: c.Path, Lock: c.Lock.File, Reason: err.Error(), Err: err}))
			continue
		}
		list.Plugins = append(list.Plugins, pluginInUse(c, installed))
	}
	for _, s := range installed {
		if !slices.ContainsFunc(list.Plugins, func(p PluginInUse) bool { return p.Path == s.Path }) &&
			!slices.ContainsFunc(list.Refused, func(p PluginRefused) bool { return p.Path == s.Path }) {
			unused := PluginInUse{Name: s.Manifest.Name, Origin: OriginNone, Path: s.Path}
			unused.describe(s)
			list.Unused = append(list.Unused, unused)
		}
	}
	for _, r := range rejected {
		p := PluginRefused{Name: r.Name, Version: r.Version, Path: r.Path, Reason: r.Reason}
		if !slices.ContainsFunc(list.Refused, func(r PluginRefused) bool { return r.Name == p.Name && strings.HasPrefix(r.Path, p.Path) }) {
			list.Unusable = append(list.Unusable, p)
		}
	}
	return list, nil
}

// Plugin returns everything about one plugin: the one in use here, or else the
// installed one. The error is a [*plugin.NotFoundError] if there is none.
func (l PluginList) Plugin(name string) (PluginInUse, error) {
	for _, plugins := range [][]PluginInUse{l.Plugins, l.Unused} {
		for _, p := range plugins {
			if p.Name == name {
				p.Schema = "proctor.plugin/v1"
				return p, nil
			}
		}
	}
	missing := &plugin.NotFoundError{Name: name, Searched: append(slices.Clone(l.Locks), l.Store)}
	for _, r := range l.Refused {
		if r.Name == name {
			missing.Refused = append(missing.Refused, plugin.Refused{Name: r.Name, Path: r.Path, Lock: r.Lock, Reason: r.Reason})
		}
	}
	return PluginInUse{}, missing
}

func listStored(ctx context.Context, h *Host) ([]store.Installed, []store.Rejected, error) {
	if h.Cfg.PluginStore == "" {
		return nil, nil, nil
	}
	return store.Open(h.Cfg.PluginStore).List(ctx)
}

func pluginInUse(c plugin.Candidate, installed []store.Installed) PluginInUse {
	p := PluginInUse{Name: c.Name, Origin: OriginBundled, Path: c.Path}
	switch {
	case c.Override:
		p.Origin = OriginNamed
	case c.Lock != nil:
		p.Origin = OriginUser
		if c.Lock.Project {
			p.Origin = OriginProject
		}
		p.Version, p.Lock, p.Hash = c.Lock.Version, c.Lock.File, c.Lock.Expected.Hash
	}
	if i := slices.IndexFunc(installed, func(s store.Installed) bool { return s.Path == c.Path }); i >= 0 {
		p.describe(installed[i])
	}
	return p
}

func (p *PluginInUse) describe(s store.Installed) {
	p.Version, p.Manifest, p.Receipt = s.Manifest.Version, &s.Manifest, &s.Receipt
}

func refusedPlugin(r plugin.Refused) PluginRefused {
	p := PluginRefused{Name: r.Name, Path: r.Path, Lock: r.Lock, Reason: r.Reason}
	var coded interface{ Code() string }
	if errors.As(r.Err, &coded) {
		p.Code = coded.Code()
	}
	return p
}
