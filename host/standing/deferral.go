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

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/sdk"
)

// deferralPoints is how many results of a deferred test are searched for a pass: the
// newest conclusive one decides, and few are inconclusive.
const deferralPoints = 50

// maxDigested bounds how much of a file is read: sources are smaller.
const maxDigested = 64 << 20

// Deferrals returns the deferred tests. A deferral ends, and leaves the record, when
// the test passes or its file changes.
func Deferrals(ctx context.Context, led *ledger.Ledger) (map[history.TestKey]history.Deferral, error) {
	all, err := led.History.Deferrals(ctx)
	if err != nil {
		return nil, err
	}
	deferred := make(map[history.TestKey]history.Deferral, len(all))
	tests := map[string][]sdk.TestID{}
	for _, d := range all {
		deferred[d.TestKey] = d
		tests[d.Language] = append(tests[d.Language], d.TestKey.TestID)
	}
	over := map[history.TestKey]bool{}
	for _, d := range all {
		if d.Digest == "" {
			continue
		}
		// A file that exists but cannot be read has not been seen to change.
		if now, err := FileDigest(led.Artifacts.Workspace(), d.File); err == nil && now != d.Digest {
			over[d.TestKey] = true
		}
	}
	for language, named := range tests {
		filter := history.TimelineFilter{Language: language, Tests: named, Points: deferralPoints}
		err := Timelines(ctx, led, filter, func(t history.Timeline) {
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
		if err := led.History.Undefer(ctx, key); err != nil {
			// The deferral has ended anyway; the next call will try again.
			led.Keeper.Cfg.Logger.Warn("a deferral that is over stays on record", "error", err)
		}
	}
	return deferred, ctx.Err()
}

// passedSince reports whether a pass ends a deferral. An older result from elsewhere
// says nothing about now.
func passedSince(p history.Point, d history.Deferral) bool {
	return !p.Foreign() || p.At.After(d.At)
}

// FileDigest identifies the content of a file below the workspace; empty means that
// there is no such file. file comes from the record and may be anything.
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
	// Before opening: reading a pipe would block.
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
