package ledger

import (
	"context"
	"path/filepath"

	"github.com/proctorhq/proctor/host/coverage"
	coveragestore "github.com/proctorhq/proctor/host/coverage/store"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/project"
)

// Measurements is where it is kept what was measured of a workspace.
func Measurements(store *artifacts.Store) *coveragestore.Store {
	return coveragestore.New(coveragestore.Config{Dir: filepath.Join(store.Dir(), coverageName)})
}

// coverageName is the directory of measurements beside the records.
const coverageName = "coverage"

// Measured are the measurements of a project's suites in a setting, by name.
func Measured(ctx context.Context, kept *coveragestore.Store, p project.Project, args []string) (map[string]*coverage.Suite, error) {
	suites, err := kept.Suites(ctx, p.ID.Language, p.Setting(args))
	byName := make(map[string]*coverage.Suite, len(suites))
	for _, s := range suites {
		byName[s.Suite] = s
	}
	return byName, err
}
