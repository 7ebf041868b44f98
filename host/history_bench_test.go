package host

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// The size of the history that questions are measured on: a project of a thousand
// tests in a hundred files, three hundred runs, one result in two hundred bad.
const (
	benchRuns  = 300
	benchTests = 1000
	benchFiles = 100
	benchBad   = 200
)

func BenchmarkQuestions(b *testing.B) {
	p := newPast(b)
	random := rand.New(rand.NewPCG(1, 2))
	var last history.Run
	var failing []record.Test
	results := make([]history.Result, benchTests)
	for run := range benchRuns {
		failing = failing[:0]
		for i := range results {
			results[i] = passed(fmt.Sprintf("p/f%d", i%benchFiles), fmt.Sprintf("T%d", i))
			if random.IntN(benchBad) == 0 {
				results[i].Outcome, results[i].Signature = history.Failed, fmt.Sprintf("%016x", i)
				failing = append(failing, results[i].Test)
			}
		}
		last = p.runAs(history.Run{SessionID: fmt.Sprint(run / 5), Fingerprint: fmt.Sprint(run / 2), Environment: "e", Whole: true}, results...)
	}
	var fifty []record.Test
	for i := range 50 {
		fifty = append(fifty, results[i].Test)
	}
	for _, q := range []struct {
		name string
		ask  func() error
	}{
		{"context", func() error { _, err := p.host.Context(b.Context(), p.where()); return err }},
		{"worth", func() error { _, err := p.host.History(b.Context(), HistoryRequest{Where: p.where()}); return err }},
		{"recurring", func() error {
			_, err := p.host.History(b.Context(), HistoryRequest{Where: p.where(), Recurring: true})
			return err
		}},
		{"flaky", func() error {
			_, err := p.host.History(b.Context(), HistoryRequest{Where: p.where(), Flaky: true})
			return err
		}},
		{"gap", func() error {
			_, err := p.host.History(b.Context(), HistoryRequest{Where: p.where(), Classification: record.Gap})
			return err
		}},
		{"one test", func() error {
			_, err := p.host.History(b.Context(), HistoryRequest{Where: p.where(), Name: "T7"})
			return err
		}},
		{"one file", func() error {
			_, err := p.host.History(b.Context(), HistoryRequest{Where: p.where(), Name: "p/f7"})
			return err
		}},
		{"slow", func() error {
			_, err := p.host.History(b.Context(), HistoryRequest{Where: p.where(), Slow: true})
			return err
		}},
		{"entries", func() error { _, err := p.entries(b.Context(), last); return err }},
		{"standings of 5", func() error {
			_, err := p.standings(b.Context(), "x", failing[:min(len(failing), 5)], last.SessionID, 0)
			return err
		}},
		{"standings of 50", func() error { _, err := p.standings(b.Context(), "x", fifty, last.SessionID, 0); return err }},
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
