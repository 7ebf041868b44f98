package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
)

// counting is a store that looks at its end whether it counted right.
type counting struct {
	*Store
	t *testing.T
}

func (s counting) Close() error {
	select {
	case <-s.closed:
	default:
		counts(s.t, s.Store)
	}
	return s.Store.Close()
}

func TestTheStoreKeepsItsContract(t *testing.T) {
	defer goleak.VerifyNone(t)
	historytest.Run(t, func(ctx context.Context, dir, root string) (history.Store, error) {
		store, err := Open(ctx, Config{Path: filepath.Join(dir, "history.db"), Root: root})
		if err != nil {
			return nil, err
		}
		return counting{store.(*Store), t}, nil
	})
}
