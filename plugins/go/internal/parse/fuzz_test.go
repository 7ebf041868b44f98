package parse

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// maxSeed keeps the fuzzer quick.
const maxSeed = 16 << 10

// addSeeds adds streams that exercise every part, and the recorded cases.
func addSeeds(f *testing.F) {
	dump := formatPanic("boom", frameInM("helper", 3), frameInM("TestA", 9))
	for _, s := range []*script{
		new(script).start().run("TestA").out("TestA", "--- FAIL: TestA (0.00s)\n"+dump).ended("fail", "TestA").died("fail"),
		new(script).start().run("TestA").out("TestA", raceReport("TestA.func1 9", "TestA 12")+noticed+testifyText).end("fail", "TestA").completed("fail"),
		new(script).build(pkg, "# "+pkg+"\n./a.go:3:23: undefined: x\n").buildFail(pkg).notBuilt(pkg, noteBuildFailed, pkg),
		new(script).start().run("FuzzX").out("FuzzX", "    --- FAIL: FuzzX (0.00s)\n        a_test.go:9: x\n    go test -run=FuzzX/1\n").ended("fail", "FuzzX").completed("fail"),
		new(script).start().run("ExampleF").out("ExampleF", "got:\n1\nwant:\n2\n").ended("fail", "ExampleF").completed("fail"),
		new(script).start().run("TestA").out("TestA", "panic: test timed out after 1s\n\trunning tests:\n\t\tTestA (1s)\n\n"+formatStack(6, "sleep", frameInM("TestA", 4), runner)).died("fail"),
		new(script).start().out("", "TestMain says no\nexit status 3\n").died("fail"),
		new(script).start().run("BenchmarkA").out("BenchmarkA", "BenchmarkA-2 \t5\t1 ns/op\n").completed("pass"),
	} {
		f.Add([]byte(s.String()), []byte("# "+pkg+"\na.go:1:1: x\n"), 1)
	}
	recordings, _ := filepath.Glob("../../testdata/cases/*/stdout")
	for _, path := range recordings {
		stdout, err := os.ReadFile(path)
		if err != nil || len(stdout) > maxSeed {
			continue
		}
		stderr, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "stderr"))
		f.Add(stdout, stderr, 1)
	}
}

// The parser finishes on any input, gives the same result however the stream is cut,
// and hides no failure.
func FuzzParserIsTotal(f *testing.F) {
	addSeeds(f)
	run := recorded
	run.OutputOf = sdk.TestID{Suite: pkg}
	f.Fuzz(func(t *testing.T, stdout, stderr []byte, code int) {
		want := feedBoth(run, stdout, stderr, code, len(stdout)+len(stderr)+1)
		for _, size := range []int{1, 7, 333} {
			got := feedBoth(run, stdout, stderr, code, size)
			if !slices.Equal(got.log, want.log) || got.output.String() != want.output.String() {
				t.Fatalf("chunks of %d bytes change the result:\n%q\n%q", size, got.log, want.log)
			}
		}
		checkNothingIsHidden(t, stdout, code, want)
	})
}

func feedBoth(run sdk.RunInfo, stdout, stderr []byte, code, size int) *seen {
	sink := &seen{}
	p := New(Config{Run: run}, sink)
	for chunk := range slices.Chunk(stdout, size) {
		p.Write(sdk.Stdout, chunk)
		p.Progress()
	}
	for chunk := range slices.Chunk(stderr, size) {
		p.Write(sdk.Stderr, chunk)
	}
	p.Close(sdk.Exit{Code: code})
	return sink
}

func checkNothingIsHidden(t *testing.T, stdout []byte, code int, got *seen) {
	t.Helper()
	status := map[sdk.TestID]sdk.Status{}
	ran := false
	for _, r := range got.tests {
		status[r.TestID] = r.Status
		ran = ran || r.Status == sdk.Passed || r.Status == sdk.Skipped
	}
	if code != 0 && len(got.failures) == 0 && !ran {
		t.Fatal("exit code is not 0, nothing ran, and no failure is reported")
	}
	once := map[sdk.TestID]bool{}
	for _, f := range got.failures {
		if f.Test != "" && once[f.TestID] {
			t.Fatalf("two failures of %v", f.TestID)
		}
		once[f.TestID] = true
	}
	var s testjson.Scanner
	var ev testjson.Event
	for line := range bytes.Lines(stdout) {
		if !s.Scan(line, &ev) || len(ev.Test) == 0 {
			continue
		}
		id := sdk.TestID{Suite: string(ev.Package), Test: string(ev.Test)}
		switch ev.Action {
		case testjson.ActionFail:
			if status[id] != sdk.Failed && status[id] != sdk.Unfinished {
				t.Fatalf("%v failed and is reported as %v", id, status[id])
			}
		case testjson.ActionRun, testjson.ActionPass, testjson.ActionSkip, testjson.ActionOutput:
			if status[id] == "" {
				t.Fatalf("the report has nothing about %v", id)
			}
		}
	}
}
