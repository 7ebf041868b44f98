package query

import (
	"cmp"
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
)

// parts names the tests because of which alone a test failed.
func (w *inquiry) parts(ctx context.Context, latest int) error {
	if !w.points[latest].Derived {
		return nil
	}
	root := cmp.Or(w.test.Root, w.id.Test)
	return w.memory.History.Results(ctx, w.Latest.RunID, func(r history.Result) bool {
		if r.Suite == w.id.Suite && r.Root == root && r.Outcome.Bad() && !r.Derived && isInside(r.Test.Test, w.id.Test) {
			if w.PartsTotal++; len(w.Parts) < api.MaxStates {
				w.Parts = append(w.Parts, r.Test.Test)
			}
		}
		return ctx.Err() == nil
	})
}

// isInside tells by their names whether a test is part of another one of its root.
func isInside(name, parent string) bool {
	rest, ok := strings.CutPrefix(name, parent)
	if !ok || rest == "" {
		return false
	}
	next, _ := utf8.DecodeRuneInString(rest)
	return !unicode.IsLetter(next) && !unicode.IsDigit(next) && next != '_'
}

// sinceFailure notes what differs between the state of the latest failure and the
// working tree.
func (w *inquiry) sinceFailure(ctx context.Context, now fingerprint.State, unknown error) error {
	bad, known, err := w.memory.State(ctx, w.Latest.Fingerprint)
	switch {
	case err != nil:
		return err
	case unknown != nil:
		w.SinceFailure = &api.FileChanges{Why: nowUnknown(unknown)}
	case !known:
		w.SinceFailure = &api.FileChanges{Why: "the state of the sources that it failed on last is not known"}
	default:
		w.Now = ledger.SourceOf(now)
		w.between(&w.SinceFailure, bad, now)
	}
	return nil
}

func nowUnknown(err error) string {
	return "the state of the working tree is not known: " + err.Error()
}
