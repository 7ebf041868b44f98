package corpus

import "github.com/proctorhq/proctor/plugins/internal/recorded"

// RootPlaceholder and HomePlaceholder stand in committed streams for the
// directory of the case and the home directory.
const (
	RootPlaceholder = "/proctor-case"
	HomePlaceholder = "/home/dev"
)

// Case is one recorded case.
type Case = recorded.Case[Meta, Want]

// Load reads all cases in dir.
func Load(dir string) ([]Case, error) { return recorded.Load[Meta, Want](dir) }
