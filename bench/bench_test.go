package main

import (
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/bench/internal/measure"
	"github.com/proctorhq/proctor/bench/internal/stream"
)

func TestAreasAreChosenByName(t *testing.T) {
	for list, want := range map[string]string{
		"":            "streams,start,small,cached,suite,flood,rerun,forge,history,beside,mcp,agent,coverage,parts",
		"soak":        "soak",
		"flood":       "flood",
		"flood,start": "flood,start",
	} {
		chosen, err := selectAreas(list, false)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range chosen {
			got = append(got, a.name)
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%q chooses %q, want %q", list, got, want)
		}
	}
	if _, err := selectAreas("flood,floof", false); err == nil || !strings.Contains(err.Error(), `"floof"`) || !strings.Contains(err.Error(), "flood") {
		t.Errorf("an unknown area gives %v", err)
	}
}

func TestGoalsAreReachedAtTheirBound(t *testing.T) {
	b := &tables{}
	b.atLeast("enough", 3, 3)
	b.atLeast("too little", 2.99, 3)
	b.atMost("enough", 1.03, 1.03)
	b.atMost("too much", 1.031, 1.03)
	b.within("enough", 20, 20, "ms")
	b.within("too much", 20.1, 20, "ms")
	for i, g := range b.goals {
		if want := i%2 == 0; g.reached != want {
			t.Errorf("%+v: want reached %v", g, want)
		}
	}
}

func TestTheTableShowsGoalsAndFigures(t *testing.T) {
	var out strings.Builder
	b := &tables{}
	b.atLeast("m1: CPU", 3.5, 3)
	b.atMost("m1: wall", 1.5, 1.03)
	b.addFigures("read m1", measure.Result{
		Names: []string{"proctor"},
		Samples: [][]measure.Sample{{{
			Wall: 1500 * time.Millisecond, CPU: 2 * time.Second,
			Peaks: map[string]int64{"proctor": 20 * mib, "proctor-plugin-go": 30 * mib, "sh": mib},
		}}},
	})
	b.print(&out)
	for _, want := range []string{
		"| m1: CPU | ≥ 3× | 3.50× | yes |",
		"| m1: wall | ≤ 1.03× | 1.500× | **no** |",
		"| read m1 | proctor | 2.000 | 1.500 | proctor 20, proctor-plugin-go 30 |",
	} {
		if !strings.Contains(out.String(), want+"\n") {
			t.Errorf("the line %q is missing in\n%s", want, out.String())
		}
	}
}

func TestResultsOfGoBenchmarksAreRead(t *testing.T) {
	const printed = `goos: linux
BenchmarkScan-2   	     561	   2937607 ns/op	 591.98 MB/s	       0 B/op	       1 allocs/op
BenchmarkSend/32704-16 	    1000	      1.5 ns/op
PASS
`
	shown := 0
	got := benchmarks([]byte(printed), func(string) { shown++ })
	if shown != 2 || got["Scan"]["ns/op"] != 2937607 || got["Scan"]["MB/s"] != 591.98 || got["Scan"]["allocs/op"] != 1 || got["Send/32704"]["ns/op"] != 1.5 {
		t.Errorf("%d lines, %v", shown, got)
	}
}

func TestAStreamIsWrittenOnceAndFoundAgain(t *testing.T) {
	r, err := stream.Read(recording)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{dir: t.TempDir(), recording: r}
	writes := 0
	s := recorded{name: "few", write: func(r *stream.Recording, w io.Writer) (stream.Count, error) {
		writes++
		return r.Suites(w, seed, 2_000)
	}}
	path, first, err := b.streamFile(s)
	if err != nil {
		t.Fatal(err)
	}
	_, second, err := b.streamFile(s)
	if err != nil || first != second || writes != 1 {
		t.Errorf("written %d times, counted %+v and %+v, %v", writes, first, second, err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != first.Bytes {
		t.Errorf("%v, %v; want %d bytes, as counted", info, err, first.Bytes)
	}
}

func TestAStreamThatCouldNotBeWrittenIsNotFoundAgain(t *testing.T) {
	b := &bench{dir: t.TempDir(), recording: &stream.Recording{}}
	s := recordedStreams()[0]
	for range 2 {
		if _, _, err := b.streamFile(s); err == nil {
			t.Error("an empty recording gave a stream")
		}
	}
}

func TestGeneratedModulesParse(t *testing.T) {
	b := &bench{dir: t.TempDir()}
	for name, files := range map[string]map[string]string{
		"small": smallModule(), "unchanged": unchangedModule(), "busy": busyModule(), "loud": loudModule(), "broken": brokenModule(),
	} {
		dir, err := b.writeModule(name, files)
		if err != nil {
			t.Fatal(err)
		}
		for path := range files {
			if strings.HasSuffix(path, ".go") {
				if _, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, filepath.FromSlash(path)), nil, 0); err != nil {
					t.Error(err)
				}
			}
		}
		if mod, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil || !strings.Contains(string(mod), "module bench.example/"+name+"\n") {
			t.Errorf("%s: go.mod is %q, %v", name, mod, err)
		}
	}
	if n := strings.Count(brokenModule()["broken/broken_test.go"], "func TestBroken"); n != failing {
		t.Errorf("%d tests fail, want %d", n, failing)
	}
}

func TestTheNumberOfTestsIsReadFromGotestsumsOutput(t *testing.T) {
	m := sumPattern.FindStringSubmatch("=== Failed\nDONE 228340 tests, 1304 skipped, 1033 failures, 88 errors in 3.21s\n")
	if m == nil || m[1] != "228340" {
		t.Errorf("got %q", m)
	}
}
