package report_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/sdk"
)

// onDisk is a record with one object per line, as runs leave it.
type onDisk struct{ results, failures string }

func (r onDisk) Results(yield func(api.Result) bool) error   { return eachLine(r.results, yield) }
func (r onDisk) Failures(yield func(api.Failure) bool) error { return eachLine(r.failures, yield) }

func eachLine[T any](path string, yield func(T) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for dec := json.NewDecoder(bufio.NewReaderSize(f, 64<<10)); ; {
		var item T
		if err := dec.Decode(&item); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if !yield(item) {
			return nil
		}
	}
}

// manyTests is a run of n tests in 300 suites, of which one in a hundred failed. Results of
// different suites are interleaved, as when suites run at once.
func manyTests(tb testing.TB, n int) api.RunFinished {
	tb.Helper()
	dir := tb.TempDir()
	record := onDisk{filepath.Join(dir, "results.jsonl"), filepath.Join(dir, "failures.jsonl")}
	run := api.Run{Schema: api.Schema, RunID: "m4nytests2", Language: "go", State: api.StateFinished, Verdict: api.Failed}
	files := [2]*bufio.Writer{}
	for i, path := range []string{record.results, record.failures} {
		f, err := os.Create(path)
		if err != nil {
			tb.Fatal(err)
		}
		defer f.Close()
		files[i] = bufio.NewWriter(f)
		defer files[i].Flush()
	}
	results, failures := json.NewEncoder(files[0]), json.NewEncoder(files[1])
	for i := range n {
		id := sdk.TestID{Suite: fmt.Sprintf("example.com/monorepo/service%03d", i%300), Test: fmt.Sprintf("TestSomething/case_%d", i)}
		r := api.Result{TestResult: sdk.TestResult{TestID: id, Status: sdk.Passed, Root: "TestSomething", Location: sdk.Location{File: fmt.Sprintf("service%03d/s_test.go", i%300), Line: i}}, DurationS: 0.01}
		if i%100 == 0 {
			r.Status = sdk.Failed
			f := api.Failure{ID: fmt.Sprint(i), Failure: sdk.Failure{TestID: id, Kind: sdk.KindAssertion, Location: r.Location, Message: "wrong\n" + string(make([]byte, 2000)), Diff: sdk.Diff{Got: "1", Want: "2"}}}
			run.Counts.Failed, run.FailuresTotal = run.Counts.Failed+1, run.FailuresTotal+1
			if len(run.Failures) < api.MaxFailures {
				run.Failures = append(run.Failures, f)
			}
			if err := failures.Encode(f); err != nil {
				tb.Fatal(err)
			}
		} else {
			run.Counts.Passed++
		}
		if err := results.Encode(r); err != nil {
			tb.Fatal(err)
		}
	}
	return api.RunFinished{Run: run, Record: record}
}

// BenchmarkReports writes a run of 300,000 tests in each format, and says how much memory
// its document holds.
func BenchmarkReports(b *testing.B) {
	ended := manyTests(b, 300_000)
	b.Run("document", func(b *testing.B) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		var d *report.Document
		for b.Loop() {
			d = report.NewDocument(ended)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/300_000, "held-B/test")
		runtime.KeepAlive(d)
	})
	for _, f := range report.Formats() {
		b.Run(f.Name, func(b *testing.B) {
			for b.Loop() {
				d := report.NewDocument(ended)
				parts := []*report.Document{d}
				if f.Split != nil {
					var err error
					if parts, err = f.Split(d, report.Options{}); err != nil {
						b.Fatal(err)
					}
				}
				for _, part := range parts {
					if err := f.Write(io.Discard, part, report.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
