package corpus

import "github.com/proctorhq/proctor/plugins/internal/recorded"

// The placeholders that stand in committed streams for paths of the machine
// that recorded them.
const (
	RootPlaceholder     = "/proctor-case"
	GorootPlaceholder   = "/usr/local/go"
	ModCachePlaceholder = "/gomodcache"
)

// Case is one recorded case.
type Case struct{ recorded.Case[Meta] }

// Load reads the names and meta data of all cases below dir.
func Load(dir string) ([]Case, error) {
	loaded, err := recorded.Load[Meta](dir)
	cases := make([]Case, len(loaded))
	for i, c := range loaded {
		cases[i].Case = c
	}
	return cases, err
}

// Want is what the case should give.
func (c Case) Want() (Want, error) {
	var w Want
	err := c.Read("want.json", &w)
	return w, err
}
