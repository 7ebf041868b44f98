package settings

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
)

// rootKey matches a line of foundry.toml that names a root.
var rootKey = lazyregexp.New(`(?m)^\s*["']?root["']?\s*=|[{,]\s*["']?root["']?\s*=`)

// namesRoot reports whether the configuration names a root. Forge 1.7.1 accepts the
// key, although it warns that it is unknown. A false positive does little harm.
func namesRoot(ws sdk.Workspace) bool {
	if strings.Contains(ws.Probes[ConfigProbe].Stderr, "`root`") {
		return true
	}
	if slices.ContainsFunc(fileNames(ws.Root), func(name string) bool {
		return isSetting(name) && strings.HasSuffix(strings.ToUpper(name), "_ROOT")
	}) {
		return true
	}
	return rootKey.Match(readFile(ws.Root, "foundry.toml"))
}
