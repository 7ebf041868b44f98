package index

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/prose"
)

// Select returns the newest version of a plugin that satisfies a constraint, as
// hashicorp/go-version understands it (empty means any), and has a file for the
// platform and a protocol of the host's. Prereleases count only if the constraint names
// one. The error is a [*NoVersionError] that says why each version was unsuitable, or a
// [*manifest.ConstraintError].
func (x Index) Select(plugin, constraint string, p manifest.Platform, protocols []int) (version string, err error) {
	wanted, err := manifest.ParseConstraint(constraint)
	if err != nil {
		return "", err
	}
	none := &NoVersionError{Plugin: plugin, Constraint: wanted.String(), Plugins: slices.Sorted(maps.Keys(x.Plugins))}
	versions := x.Plugins[plugin].Versions
	newestFirst := func(a, b string) int { return manifest.CompareVersions(b, a) }
	for _, number := range slices.SortedFunc(maps.Keys(versions), newestFirst) {
		reason := versions[number].explainUnsuitable(plugin, number, wanted, p, protocols)
		if reason == "" {
			return number, nil
		}
		none.Passed = append(none.Passed, Passed{Version: number, Reason: reason})
	}
	return "", none
}

// explainUnsuitable says why a version is unsuitable, or nothing.
func (v Version) explainUnsuitable(plugin, number string, wanted manifest.Constraint, p manifest.Platform, protocols []int) string {
	if !wanted.Allows(number) {
		if wanted.String() == "" {
			return "is a prerelease: name it with @" + number
		}
		return "is not within " + prose.Quote(wanted.String())
	}
	described := manifest.Manifest{Name: plugin, Version: number, Protocols: v.Protocols}
	if mismatch, ok := errors.AsType[*manifest.ProtocolError](described.Compatible(protocols)); ok {
		side := "upgrade proctor"
		if mismatch.PluginIsOlder() {
			side = "it is older than this proctor, and a newer version of the plugin is needed"
		}
		return "speaks protocol " + manifest.Numbers(mismatch.Speaks) + ", and this proctor " + manifest.Numbers(mismatch.Host) + ": " + side
	}
	if _, there := v.Files[p]; !there {
		var platforms []string
		for _, other := range slices.Sorted(maps.Keys(v.Files)) {
			platforms = append(platforms, string(other))
		}
		return "is not available for " + string(p) + ", only for " + strings.Join(platforms, ", ")
	}
	return ""
}
