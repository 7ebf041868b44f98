package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
)

func TestTheStoreKeepsItsContract(t *testing.T) {
	defer goleak.VerifyNone(t)
	historytest.Run(t, func(ctx context.Context, dir, root string) (history.Store, error) {
		return Open(ctx, Config{Path: filepath.Join(dir, "history.db"), Root: root})
	})
}
