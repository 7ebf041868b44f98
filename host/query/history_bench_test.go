package query

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/sdk"
)

// The size of the history for benchmarks: a project of a thousand tests in a hundred
// files, three hundred runs, one result in two hundred bad.
const (
	benchRuns  = 300
	benchTests = 1000
	benchFiles = 100
	benchBad   = 200
)

func BenchmarkQuestions(b *testing.B) {
	p := ledgertest.New(b)
	random := rand.New(rand.NewPCG(1, 2))
	var last history.Run
	var failing []sdk.TestID
	results := make([]history.Result, benchTests)
	for run := range benchRuns {
		failing = failing[:0]
		for i := range results {
			results[i] = historytest.Passed(fmt.Sprintf("p/f%d", i%benchFiles), fmt.Sprintf("T%d", i))
			if random.IntN(benchBad) == 0 {
				results[i].Outcome, results[i].Signature = history.Failed, fmt.Sprintf("%016x", i)
				failing = append(failing, results[i].TestID)
			}
		}
		last = p.RunAs(history.Run{SessionID: fmt.Sprint(run / 5), Fingerprint: fmt.Sprint(run / 2), Environment: "e", Whole: true}, results...)
	}
	var fifty []sdk.TestID
	for i := range 50 {
		fifty = append(fifty, results[i].TestID)
	}
	for _, q := range []struct {
		name string
		ask  func() error
	}{
		{"context", func() error { _, err := Context(b.Context(), p.Keeper, p.Where()); return err }},
		{"worth", func() error {
			_, err := History(b.Context(), p.Keeper, api.HistoryRequest{Where: p.Where()})
			return err
		}},
		{"recurring", func() error {
			_, err := History(b.Context(), p.Keeper, api.HistoryRequest{Where: p.Where(), Recurring: true})
			return err
		}},
		{"flaky", func() error {
			_, err := History(b.Context(), p.Keeper, api.HistoryRequest{Where: p.Where(), Flaky: true})
			return err
		}},
		{"gap", func() error {
			_, err := History(b.Context(), p.Keeper, api.HistoryRequest{Where: p.Where(), Classification: api.Gap})
			return err
		}},
		{"one test", func() error {
			_, err := History(b.Context(), p.Keeper, api.HistoryRequest{Where: p.Where(), Name: "T7"})
			return err
		}},
		{"one file", func() error {
			_, err := History(b.Context(), p.Keeper, api.HistoryRequest{Where: p.Where(), Name: "p/f7"})
			return err
		}},
		{"slow", func() error {
			_, err := History(b.Context(), p.Keeper, api.HistoryRequest{Where: p.Where(), Slow: true})
			return err
		}},
		{"entries", func() error { _, err := standing.Entries(b.Context(), p.Ledger, last); return err }},
		{"standings of 5", func() error {
			_, err := standing.Standings(b.Context(), p.Ledger, "x", failing[:min(len(failing), 5)], last.SessionID, 0)
			return err
		}},
		{"standings of 50", func() error {
			_, err := standing.Standings(b.Context(), p.Ledger, "x", fifty, last.SessionID, 0)
			return err
		}},
	} {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				if err := q.ask(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
