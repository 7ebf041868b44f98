package stream

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
)

func recording(t *testing.T) *Recording {
	t.Helper()
	data, err := os.ReadFile("../../testdata/recording.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// streams returns a small stream of each kind.
func streams(r *Recording) map[string]func(io.Writer) (Count, error) {
	return map[string]func(io.Writer) (Count, error){
		"suites":  func(w io.Writer) (Count, error) { return r.Suites(w, 7, 20_000) },
		"logs":    func(w io.Writer) (Count, error) { return r.Logs(w, 7, 30_000) },
		"allfail": func(w io.Writer) (Count, error) { return r.AllFail(w, 1_203) },
		"live":    func(w io.Writer) (Count, error) { return r.Live(w, 400) },
	}
}

func written(t *testing.T, write func(io.Writer) (Count, error)) (string, Count) {
	t.Helper()
	var b strings.Builder
	count, err := write(&b)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), count
}

func TestTheSameSeedGivesTheSameBytes(t *testing.T) {
	for name, write := range streams(recording(t)) {
		first, _ := written(t, write)
		if second, _ := written(t, write); first != second {
			t.Errorf("%s: two streams of one seed differ", name)
		}
	}
}

func TestAnotherSeedGivesAnotherOrder(t *testing.T) {
	r := recording(t)
	one, _ := written(t, func(w io.Writer) (Count, error) { return r.Suites(w, 1, 5_000) })
	two, _ := written(t, func(w io.Writer) (Count, error) { return r.Suites(w, 2, 5_000) })
	if one == two {
		t.Error("the seed changes nothing")
	}
}

// account reads a stream without the generator's knowledge: every test must start once,
// produce output only while it runs, and end once.
func account(t *testing.T, text string) Count {
	t.Helper()
	c := Count{Bytes: int64(len(text))}
	type id struct{ pkg, test string }
	live, failed, panicked, ended := map[id]bool{}, map[id]bool{}, map[id]bool{}, map[string]bool{}
	for l := range strings.Lines(text) {
		c.Events++
		var ev event
		if err := json.Unmarshal([]byte(l), &ev); err != nil {
			t.Fatalf("not an event: %v in %q", err, l)
		}
		if ended[ev.Package] {
			t.Fatalf("an event of a package that has ended: %s", l)
		}
		is := id{ev.Package, ev.Test}
		switch {
		case ev.Package == "":
		case ev.Test == "":
			ended[ev.Package] = ev.Action == "pass" || ev.Action == "fail"
		case ev.Action == "run":
			if live[is] {
				t.Fatalf("started twice: %s", l)
			}
			live[is] = true
		case !live[is]:
			t.Fatalf("an event of a test that is not running: %s", l)
		case ev.Action == "output":
			panicked[is] = panicked[is] || strings.HasPrefix(ev.Output, "panic: ")
		case ev.Action == "pass":
			c.Passed++
			delete(live, is)
		case ev.Action == "skip":
			c.Skipped++
			delete(live, is)
		case ev.Action == "fail":
			c.FailEvents++
			failed[is] = true
			delete(live, is)
		}
	}
	if len(live) > 0 {
		t.Errorf("%d tests never ended", len(live))
	}
	parents := map[id]bool{}
	for f := range failed {
		for i, r := range f.test {
			if r == '/' {
				parents[id{f.pkg, f.test[:i]}] = true
			}
		}
	}
	for f := range failed {
		switch {
		case !parents[f]:
			c.Failed++
		case panicked[f]:
			c.Unfinished++
		}
	}
	return c
}

func TestAStreamHasWhatItsCountSays(t *testing.T) {
	for name, write := range streams(recording(t)) {
		t.Run(name, func(t *testing.T) {
			text, count := written(t, write)
			if got := account(t, text); got != count {
				t.Errorf("counted %+v\nthe stream has %+v", count, got)
			}
		})
	}
}

func TestSuitesInterleavePackagesAndContainFailures(t *testing.T) {
	text, count := written(t, func(w io.Writer) (Count, error) { return recording(t).Suites(w, 3, 60_000) })
	if count.Events < 60_000 {
		t.Errorf("%d events, want at least 60000", count.Events)
	}
	perThousand := 1000 * float64(count.FailEvents) / float64(count.Events)
	if perThousand < 0.5 || perThousand > 2 {
		t.Errorf("%.2f failures in 1000 events, want about one", perThousand)
	}
	switches, last := 0, ""
	for l := range strings.Lines(text) {
		var ev event
		if json.Unmarshal([]byte(l), &ev); ev.Package != last {
			switches, last = switches+1, ev.Package
		}
	}
	if switches < count.Events/(2*longestBurst) {
		t.Errorf("the packages change %d times in %d events: they do not report in parallel", switches, count.Events)
	}
}

func TestLiveSubtestsAreAllPausedAtOnce(t *testing.T) {
	const subtests = 400
	text, _ := written(t, func(w io.Writer) (Count, error) { return recording(t).Live(w, subtests) })
	before, _, found := strings.Cut(text, `"Action":"cont"`)
	if n := strings.Count(before, `"Action":"pause"`); !found || n != subtests {
		t.Errorf("%d subtests are paused before the first resumes, want %d", n, subtests)
	}
}

func TestEveryFailureHasItsOwnName(t *testing.T) {
	const tests = 1_203
	text, _ := written(t, func(w io.Writer) (Count, error) { return recording(t).AllFail(w, tests) })
	names := map[string]bool{}
	for l := range strings.Lines(text) {
		var ev event
		if json.Unmarshal([]byte(l), &ev); ev.Test != "" && ev.Action == "fail" {
			names[ev.Package+" "+ev.Test] = true
		}
	}
	if len(names) != tests {
		t.Errorf("%d names of failed tests, want %d", len(names), tests)
	}
}

func TestAnInvalidRecordingIsRefused(t *testing.T) {
	if _, err := Read([]byte("{\"Action\":\"start\"}\nnot json\n")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v, want an error that names line 2", err)
	}
	empty, err := Read(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range streams(empty) {
		if _, err := write(&bytes.Buffer{}); err == nil {
			t.Errorf("%s: an empty recording gave a stream", name)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestAFullDiskIsReported(t *testing.T) {
	for name, write := range streams(recording(t)) {
		if _, err := write(full{}); err == nil {
			t.Errorf("%s: no error although nothing could be written", name)
		}
	}
}

func TestTheRecordingNamesNoLocalDirectory(t *testing.T) {
	data, err := os.ReadFile("../../testdata/recording.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	const most = 200 << 10
	if len(data) > most {
		t.Errorf("the recording has %d bytes; it is committed, so at most %d", len(data), most)
	}
	for l := range strings.Lines(string(data)) {
		for _, dir := range []string{"/tmp/", "/root/", "/Users/"} {
			if strings.Contains(l, dir) {
				t.Errorf("%s in %s", dir, l)
			}
		}
	}
}
