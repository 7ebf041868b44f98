package corpus

import "github.com/proctorhq/proctor/plugins/internal/recorded"

// HomePlaceholder stands in committed streams for the home directory.
const HomePlaceholder = "/home/dev"

// Case is one recorded case.
type Case = recorded.Case[Meta, Want]

// Load reads all cases in dir.
func Load(dir string) ([]Case, error) { return recorded.Load[Meta, Want](dir) }
