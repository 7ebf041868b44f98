package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// traceEvent is an event of the Trace Event Format, which Perfetto and chrome://tracing
// open: a slice (X), a point (i) or the name of a track (M). Times are microseconds.
type traceEvent struct {
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	Phase string         `json:"ph"`
	At    int64          `json:"ts"`
	Dur   int64          `json:"dur,omitempty"`
	Run   int            `json:"pid"`
	Track int            `json:"tid"`
	Scope string         `json:"s,omitempty"`
	Color string         `json:"cname,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// laidOut says how the slices of a trace are laid out.
const laidOut = "when a test started is not on record: each suite begins with the run, and its tests follow one another in the order in which they ended, their parts within them"

// writeTrace writes runs as traces: suites are tracks, the slowest first, and tests slices.
func writeTrace(w io.Writer, d *Document, o Options) error {
	t := &traceWriter{Writer: bufio.NewWriterSize(w, 64<<10)}
	t.enc = json.NewEncoder(t.Writer)
	t.enc.SetEscapeHTML(false)
	t.WriteString(`{"displayTimeUnit":"ms","otherData":`)
	t.value(map[string]string{"generator": "proctor " + o.Version, "layout": laidOut})
	t.WriteString(`,"traceEvents":[`)
	for i, run := range d.Runs {
		t.run = i + 1
		if err := t.writeRun(run); err != nil {
			return err
		}
	}
	t.WriteString("]}\n")
	return cmp.Or(t.err, t.Flush())
}

// traceWriter writes events. The first error of the writer below stays there.
type traceWriter struct {
	*bufio.Writer
	enc    *json.Encoder
	err    error
	events int
	// run and track number the ones being written.
	run, track int
}

func (t *traceWriter) value(v any) {
	if err := t.enc.Encode(v); err != nil && t.err == nil {
		t.err = err
	}
}

func (t *traceWriter) event(e traceEvent) {
	if t.events++; t.events > 1 {
		t.WriteByte(',')
	}
	e.Run = t.run
	t.value(e)
}

// name names a run or a track, and gives its place among the others.
func (t *traceWriter) name(of string, track, order int, name string) {
	t.event(traceEvent{Name: of + "_name", Phase: "M", Track: track, Args: map[string]any{"name": name}})
	t.event(traceEvent{Name: of + "_sort_index", Phase: "M", Track: track, Args: map[string]any{"sort_index": order}})
}

// traced is an execution of a test, with those of its parts.
type traced struct {
	test, root  string
	status      Status
	isContainer bool
	at, dur     int64
	parts       []*traced
}

func newTraced(r api.Result) *traced {
	return &traced{test: r.Test, root: r.Root, status: statusOf(r.Status), isContainer: r.Container, dur: micros(r.DurationS)}
}

// micros converts seconds to microseconds, at least one: viewers do not show empty slices.
func micros(seconds float64) int64 { return max(int64(seconds*1e6), 1) }

// isPart reports whether r is part of a listed test.
func (r *traced) isPart() bool { return r.root != "" && r.root != r.test }

func (t *traceWriter) writeRun(run *Run) error {
	object := run.Object
	title := strings.TrimSpace("run " + object.RunID + " " + prose.Line(object.Language))
	t.track = 0
	t.name("process", 0, t.run, title)
	t.name("thread", 0, -1, "the run")
	t.event(traceEvent{Name: string(object.Verdict), Phase: "X", Dur: micros(object.DurationS), Cat: string(object.Verdict), Args: map[string]any{
		"reason": narrow(object.Reason), "run_id": object.RunID, "started_at": object.StartedAt.UTC(), "layout": laidOut,
	}})
	by := map[string][]*traced{}
	err := run.Record.Results(func(r api.Result) bool {
		by[r.Suite] = append(by[r.Suite], newTraced(r))
		return true
	})
	if err != nil {
		return err
	}
	suites := slices.Clone(run.Suites)
	slices.SortStableFunc(suites, func(a, b *Suite) int { return cmp.Compare(b.DurationS, a.DurationS) })
	for i, s := range suites {
		t.writeSuite(i, s, by[s.ID])
	}
	return nil
}

// writeSuite writes a track, and further ones for parts of a test that must have run in
// parallel.
func (t *traceWriter) writeSuite(order int, s *Suite, results []*traced) {
	cases := make(map[string]*Case, len(s.Cases))
	for _, c := range s.Cases {
		cases[c.Test] = c
	}
	lanes, at := layResults(results)
	ran, red := map[string]bool{}, map[string]bool{}
	for _, r := range results {
		red[r.test] = red[r.test] || r.status.IsRed()
	}
	for i, lane := range lanes {
		t.track++
		name := s.Name
		if i > 0 {
			name = fmt.Sprintf("%s (parallel: %d)", s.Name, i)
		}
		t.name("thread", t.track, order, name)
		for _, r := range lane {
			ran[r.test] = true
			t.event(sliceOf(s.ID, r, cases[r.test], red[r.test], t.track))
		}
	}
	for _, c := range s.Cases {
		if !ran[c.Test] {
			t.event(traceEvent{Name: c.Name, Cat: c.Status.String(), Phase: "i", Scope: "t", At: at, Track: t.track - len(lanes) + 1, Args: argsOf(c)})
		}
	}
}

// layResults lays out the results of a suite on its tracks. length is how long they took
// one after the other.
func layResults(results []*traced) (lanes [][]*traced, length int64) {
	lanes = [][]*traced{nil}
	for _, r := range gatherParts(results) {
		// Runners round durations down to 0, and these are shown too.
		r.at, r.dur = length, max(r.dur, int64(len(r.parts)))
		length += r.dur
		lanes[0] = append(lanes[0], r)
		lanes = layParts(lanes, r)
	}
	return lanes, length
}

// gatherParts returns the listed tests in order, each with the parts reported before it, or
// after its last execution. Parts of a test without a result stand alone.
func gatherParts(results []*traced) (roots []*traced) {
	waiting, last := map[string][]*traced{}, map[string]*traced{}
	for _, r := range results {
		if r.isPart() {
			waiting[r.root] = append(waiting[r.root], r)
			continue
		}
		r.parts = waiting[r.test]
		delete(waiting, r.test)
		last[r.test] = r
		roots = append(roots, r)
	}
	for _, r := range results {
		if !r.isPart() || len(waiting[r.root]) == 0 {
			continue
		}
		if root := last[r.root]; root != nil {
			root.parts = append(root.parts, waiting[r.root]...)
		} else {
			roots = append(roots, waiting[r.root]...)
		}
		delete(waiting, r.root)
	}
	return roots
}

// maxLanes bounds the tracks of a suite: nobody looks at more.
const maxLanes = 64

// layParts lays out the parts of a test: within it one after the other as long as they fit,
// containers last, and the rest on further tracks.
func layParts(lanes [][]*traced, root *traced) [][]*traced {
	parts, ends := root.parts, []int64{root.at}
	slices.SortStableFunc(parts, func(a, b *traced) int {
		switch {
		case a.isContainer == b.isContainer:
			return 0
		case a.isContainer:
			return 1
		}
		return -1
	})
	for _, p := range parts {
		lane := slices.IndexFunc(ends, func(end int64) bool { return end+p.dur <= root.at+root.dur })
		switch {
		case lane >= 0:
		case len(ends) < maxLanes:
			lane, ends = len(ends), append(ends, root.at)
		default:
			lane = len(ends) - 1
		}
		if lane == len(lanes) {
			lanes = append(lanes, nil)
		}
		// A further track may still be in use by an earlier test, whose parts overran it.
		p.at = ends[lane]
		if n := len(lanes[lane]); lane > 0 && n > 0 {
			p.at = max(p.at, lanes[lane][n-1].at+lanes[lane][n-1].dur)
		}
		ends[lane] = p.at + p.dur
		lanes[lane] = append(lanes[lane], p)
	}
	return lanes
}

// sliceOf returns the slice of an execution. c is the case of the test; nil if it has none,
// as a test that failed only because of its parts. hasRed reports whether any execution was
// red: if none was, each is shown as red as the case.
func sliceOf(suite string, r *traced, c *Case, hasRed bool, track int) traceEvent {
	e := traceEvent{Name: shownTest(suite, r.test), Phase: "X", At: r.at, Dur: r.dur, Track: track}
	status := r.status
	if c != nil {
		e.Name, e.Args = c.Name, argsOf(c)
		// A red case without a red execution is shown red at each of them.
		if told := c.Status.IsRed() || c.Status == Quarantined; told && (status.IsRed() || !hasRed) {
			status = c.Status
		}
	}
	switch e.Cat = status.String(); {
	case status.IsRed():
		e.Color = "terrible"
	case status == Skipped || status == Quarantined:
		e.Color = "grey"
	}
	return e
}

// argsOf returns what a viewer shows of a selected case.
func argsOf(c *Case) map[string]any {
	args := map[string]any{}
	if file, line := c.Place(); file != "" {
		if line > 0 {
			file = fmt.Sprintf("%s:%d", file, line)
		}
		args["place"] = prose.Line(file)
	}
	if m := c.Message(); m != "" {
		args["message"] = m
	}
	if c.Cached {
		args["cached"] = true
	}
	if c.Flaky {
		args["flaky"] = true
	}
	return args
}
