package standing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
)

// deferralPoints is how many results of a deferred test are looked at for a pass:
// the newest that proves something decides, and few of them prove nothing.
const deferralPoints = 50

// maxDigested bounds how much of a file is read: sources are smaller.
const maxDigested = 64 << 20

// Deferrals are the tests that are set aside. One whose file has changed, or that
// has passed, is no longer: it is taken off the record.
func Deferrals(ctx context.Context, m *ledger.Ledger) (map[history.TestKey]history.Deferral, error) {
	all, err := m.History.Deferrals(ctx)
	if err != nil {
		return nil, err
	}
	deferred := make(map[history.TestKey]history.Deferral, len(all))
	tests := map[string][]api.Test{}
	for _, d := range all {
		deferred[d.TestKey] = d
		tests[d.Language] = append(tests[d.Language], d.TestKey.Test)
	}
	over := map[history.TestKey]bool{}
	for _, d := range all {
		if d.Digest == "" {
			continue
		}
		// A file that cannot be read for another reason than that it is gone has
		// not been seen to change.
		if now, err := FileDigest(m.Artifacts.Workspace(), d.File); err == nil && now != d.Digest {
			over[d.TestKey] = true
		}
	}
	for language, named := range tests {
		filter := history.TimelineFilter{Language: language, Tests: named, Points: deferralPoints}
		err := Timelines(ctx, m, filter, func(t history.Timeline) {
			if p, ok := classify.Latest(t.Points); ok && !p.Outcome.Bad() && passedSince(p, deferred[t.TestKey]) {
				over[t.TestKey] = true
			}
		})
		if err != nil {
			return nil, err
		}
	}
	for key := range over {
		delete(deferred, key)
		if err := m.History.Undefer(ctx, key); err != nil {
			// It is over all the same, and will be found to be so again.
			m.Keeper.Cfg.Logger.Warn("a deferral that is over stays on record", "error", err)
		}
	}
	return deferred, ctx.Err()
}

// passedSince reports whether a pass ends a deferral. What was made elsewhere says
// nothing about now if it is older.
func passedSince(p history.Point, d history.Deferral) bool {
	return !p.Foreign() || p.At.After(d.At)
}

// FileDigest names the content of a file below the workspace; empty is that there
// is no such file. file comes from the record, and may be anything.
func FileDigest(workspace, file string) (string, error) {
	local := filepath.FromSlash(file)
	if file == "" || !filepath.IsLocal(local) {
		return "", nil
	}
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return "", err
	}
	defer root.Close()
	// Before it is opened: a pipe would be waited for.
	info, err := root.Stat(local)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	f, err := root.Open(local)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	fmt.Fprintf(sum, "%d\x00", info.Size())
	if _, err := io.Copy(sum, io.LimitReader(f, maxDigested)); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
