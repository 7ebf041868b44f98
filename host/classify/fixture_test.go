package classify_test

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/sdk"
)

// began is when the first run of every fixture starts.
var began = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// did is what a run says about a test. Each letter is a result: P passed, F failed, S
// skipped, U unfinished, N never started.
type did struct {
	session, results string
	// state is the fingerprint, cause the signature of the failures. Causes that share
	// the first letter have similar messages.
	state, cause string
	// env defaults to "e"; "-" means unknown.
	env, seed string
	mixed     bool
	derived   bool
	kind      api.Kind
}

var outcomes = map[rune]history.Outcome{
	'P': history.Passed, 'F': history.Failed, 'S': history.Skipped, 'U': history.Unfinished, 'N': history.NeverStarted,
}

// at returns when the run of that order started.
func at(order int) time.Time { return began.Add(time.Duration(order) * time.Minute) }

func runID(order int) string { return fmt.Sprintf("run%02d", order) }

// points returns those of a run.
func (d did) points(order int) []history.Point {
	var list []history.Point
	for _, letter := range d.results {
		p := history.Point{
			RunID: runID(order), SessionID: d.session, Order: int64(order), At: at(order), Outcome: outcomes[letter],
			Fingerprint: d.state, Environment: strings.Trim(cmp.Or(d.env, "e"), "-"), Seed: d.seed, MixedState: d.mixed, RunKind: d.kind,
		}
		if p.Outcome.Bad() {
			p.Signature, p.Derived = d.cause, d.derived
			if d.cause != "" {
				p.Excerpt = map[byte]string{'1': "out of cheese", '2': "no such file"}[d.cause[0]]
			}
		}
		list = append(list, p)
	}
	return list
}

// timeline returns the timeline of one test; runs are numbered from 1.
func timeline(name string, runs ...did) history.Timeline {
	t := history.Timeline{Test: history.Test{TestKey: history.TestKey{Language: "x", TestID: sdk.TestID{Suite: "s", Test: name}}}}
	for i, d := range runs {
		t.Points = append(t.Points, d.points(i+1)...)
	}
	for _, p := range t.Points {
		if p.RunKind != api.KindTriage {
			t.FirstRun, t.FirstSession, t.FirstAt = p.RunID, p.SessionID, p.At
			break
		}
	}
	return t
}

// runs reads a short form: "a:F a:P b:F" are three runs in two sessions.
func runs(words ...string) []did {
	var list []did
	for _, w := range words {
		list = append(list, did{session: w[:1], results: w[2:]})
	}
	return list
}
