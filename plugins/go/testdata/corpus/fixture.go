package corpus

import "github.com/proctorhq/proctor/plugins/internal/recorded"

// The placeholders that stand in committed streams for paths of the machine
// that recorded them.
const (
	GorootPlaceholder   = "/usr/local/go"
	ModCachePlaceholder = "/gomodcache"
)

// Case is one recorded case.
type Case = recorded.Case[Meta, Want]

// Load reads all cases in dir.
func Load(dir string) ([]Case, error) { return recorded.Load[Meta, Want](dir) }
