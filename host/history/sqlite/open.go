package sqlite

import (
	"context"
	"errors"

	"github.com/proctorhq/proctor/host/history"
)

// Config says where the database lies and whose records are meant.
type Config struct {
	// Path of the database file. Its directory exists.
	Path string
	// Root is the absolute root of the workspace.
	Root string
	// Worktree is the git directory of the workspace's checkout; empty is none.
	Worktree string
}

// Open opens the database, and makes it where there is none. One that cannot be
// used is set aside: then the store is a new one, and the error says so as a
// [*history.SetAsideError] beside it. With any other error there is no store.
func Open(ctx context.Context, cfg Config) (history.Store, error) {
	return nil, errors.New("not built yet")
}
