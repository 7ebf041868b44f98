package gotest_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	gotest "github.com/proctorhq/proctor/plugins/go"
	"github.com/proctorhq/proctor/plugins/go/testdata/corpus"
	"github.com/proctorhq/proctor/plugins/internal/recorded"
	"github.com/proctorhq/proctor/sdk"
)

// corpusLimit keeps the repository small: the recordings are the largest thing
// in it.
const corpusLimit = 12 << 20

// smallStream is the size up to which a stream is also fed byte by byte.
const smallStream = 64 << 10

const casesDir = "testdata/cases"

// feeding is one way for the streams of a command to reach a parser.
type feeding struct {
	chunk       int
	stderrFirst bool
}

func TestCorpusGivesTheExpectedRecords(t *testing.T) {
	var total corpus.Score
	right, all := 0, 0
	for _, c := range loadCorpus(t) {
		all++
		if t.Run(c.Name, func(t *testing.T) {
			r := replayOf(t, c)
			want, err := c.Want()
			if err != nil {
				t.Fatal(err)
			}
			got := r.feed(t, feeding{})
			score, problems := corpus.Judge(want, got)
			total.Add(score)
			for _, p := range problems {
				t.Error(p)
			}
			if len(problems) > 0 {
				t.Logf("%s\nreported:\n%s", c.Meta.Notes, got.Summary())
			}
		}) {
			right++
		}
	}
	t.Logf("cases %d/%d right; %s", right, all, total)
}

func TestCorpusDoesNotDependOnChunks(t *testing.T) {
	for _, c := range loadCorpus(t) {
		t.Run(c.Name, func(t *testing.T) {
			r := replayOf(t, c)
			want := r.feed(t, feeding{}).Events()
			sizes := []int{7, 4096}
			if len(r.stdout) <= smallStream {
				sizes = append(sizes, 1)
			}
			for _, size := range sizes {
				got := r.feed(t, feeding{chunk: size}).Events()
				if i := firstDifference(want, got); i >= 0 {
					t.Errorf("chunks of %d bytes change event %d:\n got %s\nwant %s", size, i, elementAt(got, i), elementAt(want, i))
				}
			}
		})
	}
}

// The two streams are separate pipes, and which one is read first is chance.
func TestCorpusDoesNotDependOnTheOrderOfStreams(t *testing.T) {
	for _, c := range loadCorpus(t) {
		t.Run(c.Name, func(t *testing.T) {
			r := replayOf(t, c)
			if len(r.stderr) == 0 {
				t.Skip("nothing on stderr")
			}
			want := r.feed(t, feeding{}).Events()
			got := r.feed(t, feeding{stderrFirst: true}).Events()
			slices.Sort(want)
			slices.Sort(got)
			if i := firstDifference(want, got); i >= 0 {
				t.Errorf("stderr before stdout changes the result:\n got %s\nwant %s", elementAt(got, i), elementAt(want, i))
			}
		})
	}
}

func TestCorpusJudgeFindsEachMistake(t *testing.T) {
	want := corpus.Want{Red: true, Failures: []corpus.WantFailure{{
		Suite: "p", Test: "TestA", Kind: "assertion", Message: "wrong",
		WantPlace: corpus.WantPlace{File: "a_test.go", Line: 7},
	}}}
	good := func() *corpus.Observed {
		o := &corpus.Observed{}
		id := sdk.TestID{Suite: "p", Test: "TestA"}
		o.Test(sdk.TestResult{TestID: id, Status: sdk.Failed})
		o.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteFailed})
		o.Failure(sdk.Failure{TestID: id, Kind: sdk.KindAssertion, Message: "it is wrong", Location: sdk.Location{File: "a_test.go", Line: 7}})
		return o
	}
	tests := []struct {
		name   string
		change func(*corpus.Observed)
		says   string
	}{
		{"nothing", func(*corpus.Observed) {}, ""},
		{"empty", func(o *corpus.Observed) { *o = corpus.Observed{} }, "missing record"},
		{"hidden red", func(o *corpus.Observed) { *o = corpus.Observed{} }, "no sign"},
		{"place", func(o *corpus.Observed) { o.Failures[0].Location.Line++ }, "place"},
		{"kind", func(o *corpus.Observed) { o.Failures[0].Kind = sdk.KindPanic }, "kind"},
		{"message", func(o *corpus.Observed) { o.Failures[0].Message = "" }, "message"},
		{"extra", func(o *corpus.Observed) { o.Failure(o.Failures[0]) }, "extra"},
		{"unexplained", func(o *corpus.Observed) { o.Failures = nil }, "no record says why"},
		{"unfinished", func(o *corpus.Observed) { o.Tests[0].Status = sdk.Unfinished }, "unfinished"},
		{"twice", func(o *corpus.Observed) { o.Suite(o.Suites[0]) }, "ended 2 times"},
		{"unread", func(o *corpus.Observed) { o.Unread(sdk.Unread{Bytes: 1, Damaged: true}) }, "unread"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := good()
			tt.change(o)
			_, problems := corpus.Judge(want, o)
			all := strings.Join(problems, "\n")
			if tt.says == "" && all != "" || !strings.Contains(all, tt.says) {
				t.Errorf("judge says %q, want %q", all, tt.says)
			}
		})
	}
}

func TestCorpusIsSound(t *testing.T) {
	// A path below a home or temporary directory would reveal the recording machine; the
	// linker's own text has a fixed one.
	machine := regexp.MustCompile(`/(root|work|home/[a-z]+|tmp/[a-z-]*[0-9][^/"\\ ]*)/`)
	cases := loadCorpus(t)
	if len(cases) < 110 {
		t.Errorf("%d cases, want 110 at least", len(cases))
	}
	for _, c := range cases {
		want, err := c.Want()
		if err != nil {
			t.Error(err)
		}
		files, err := c.Sources()
		if err != nil {
			t.Error(err)
		}
		lines := map[string]int{}
		for _, f := range files {
			lines[f.Name] = bytes.Count(f.Data, []byte("\n"))
		}
		for _, w := range want.Failures {
			for _, p := range append(w.PlaceAny, w.WantPlace) {
				if p.File != "" && (p.Line < 1 || p.Line > lines[p.File]) {
					t.Errorf("%s: want.json names %s:%d, which does not exist", c.Name, p.File, p.Line)
				}
			}
		}
		if c.Meta.GoVersion == "" || c.Meta.How == "" {
			t.Errorf("%s: meta.json does not say how it was recorded", c.Name)
		}
		for _, name := range []string{"stdout", "stderr"} {
			data, err := c.Stream(name)
			if err != nil {
				t.Error(err)
			}
			if m := machine.Find(data); m != nil {
				t.Errorf("%s: %s holds %q, a path of the recording machine", c.Name, name, m)
			}
		}
	}
	var size int64
	err := filepath.WalkDir("testdata", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		size += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if size > corpusLimit {
		t.Errorf("testdata holds %d bytes, the limit is %d", size, corpusLimit)
	}
}

// replay is a case with its sources extracted.
type replay struct {
	run            sdk.RunInfo
	exit           sdk.Exit
	stdout, stderr []byte
}

func replayOf(t *testing.T, c corpus.Case) replay {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the recordings hold Unix paths")
	}
	root, err := sources.of(c)
	if err != nil {
		t.Fatal(err)
	}
	stream := func(name string) []byte {
		data, err := c.Stream(name)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.ReplaceAll(data, []byte(recorded.RootPlaceholder), []byte(root))
	}
	m := c.Meta
	return replay{
		run: sdk.RunInfo{
			Workspace: sdk.Workspace{Root: root},
			Command:   sdk.Command{Argv: m.Argv, Dir: m.Dir, Env: m.Env},
		},
		exit:   sdk.Exit{Code: m.ExitCode, Signal: m.Signal, TimedOut: m.TimedOut, Cancelled: m.Cancelled, Unknown: m.Unknown},
		stdout: stream("stdout"),
		stderr: stream("stderr"),
	}
}

// extracted holds the sources of cases. Parsers only read them, so all tests share them.
type extracted struct {
	mu    sync.Mutex
	dir   string // until the process ends
	roots map[string]string
}

var sources extracted

// of returns the directory with a case's sources.
func (e *extracted) of(c corpus.Case) (root string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if root, ok := e.roots[c.Name]; ok {
		return root, nil
	}
	if e.dir == "" {
		dir, err := os.MkdirTemp("", "proctor-corpus-*")
		if err != nil {
			return "", err
		}
		e.dir, e.roots = dir, map[string]string{}
	}
	root, err = filepath.EvalSymlinks(e.dir)
	if err != nil {
		return "", err
	}
	root = filepath.Join(root, strconv.Itoa(len(e.roots)))
	if err := errors.Join(os.Mkdir(root, 0o755), c.Extract(root)); err != nil {
		return "", err
	}
	e.roots[c.Name] = root
	return root, nil
}

// remove removes all sources.
func (e *extracted) remove() { os.RemoveAll(e.dir) }

func (r replay) feed(t *testing.T, how feeding) *corpus.Observed {
	t.Helper()
	seen := &corpus.Observed{}
	p := gotest.New(gotest.Config{}).ParseTestFailures(t.Context(), r.run, seen)
	write := func(s sdk.Stream, data []byte) {
		size := how.chunk
		if size == 0 {
			size = max(len(data), 1)
		}
		// The slice is valid only during the call: overwriting the copy reveals a parser
		// that keeps it.
		buf := make([]byte, size)
		for chunk := range slices.Chunk(data, size) {
			n := copy(buf, chunk)
			p.Write(s, buf[:n])
			clear(buf)
		}
	}
	if how.stderrFirst {
		write(sdk.Stderr, r.stderr)
		write(sdk.Stdout, r.stdout)
	} else {
		write(sdk.Stdout, r.stdout)
		write(sdk.Stderr, r.stderr)
	}
	p.Close(r.exit)
	return seen
}

func loadCorpus(t *testing.T) []corpus.Case {
	t.Helper()
	cases, err := corpus.Load(casesDir)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func firstDifference(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if elementAt(a, i) != elementAt(b, i) {
			return i
		}
	}
	return -1
}

func elementAt(s []string, i int) string {
	if i >= len(s) {
		return "(none)"
	}
	return s[i]
}
