package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

// silence is how long a log may be silent before progress is reported: CI systems end a
// job that prints nothing for minutes.
const silence = 30 * time.Second

// suite counts the tests of a suite, without subtests.
type suite struct {
	passed, failed, skipped int
	// whole means that the suite is skipped as a whole, unless it fails.
	whole bool
}

func (s *suite) add(r api.Result) {
	switch {
	case r.Fixture:
		s.whole = s.whole || r.Status == sdk.Skipped
	case r.Root != "":
	case r.Status == sdk.Passed:
		s.passed++
	case r.Status == sdk.Skipped:
		s.skipped++
	default:
		s.failed++
	}
}

// bySuite prints a line a suite as it ends, and failures at once.
type bySuite struct {
	v      *View
	w      io.Writer
	suites map[string]*suite
	// unbuilt has what the lines of suites say of why they do not build.
	unbuilt map[string]string
	// told are the suites whose own failure was printed before their line.
	told  map[string]bool
	width int // of the names so far
}

func newBySuite(v *View, w io.Writer) *bySuite {
	return &bySuite{v: v, w: w, suites: map[string]*suite{}, unbuilt: map[string]string{}, told: map[string]bool{}}
}

func (b *bySuite) of(name string) *suite {
	if b.suites[name] == nil {
		b.suites[name] = &suite{}
	}
	return b.suites[name]
}

func (b *bySuite) Listen(e api.Event) {
	switch e := e.(type) {
	case *api.RunStarted:
		b.suites, b.unbuilt, b.told = map[string]*suite{}, map[string]string{}, map[string]bool{}
	case *api.TestEnded:
		b.of(e.Suite).add(e.Result)
	case *api.FailureFound:
		if b.v.area == nil {
			b.v.print(b.w, b.failure())
		}
	case *api.SuiteEnded:
		if delete(b.unbuilt, e.Suite); e.Outcome == sdk.SuiteBuildFailed {
			b.unbuilt[e.Suite] = e.Reason
		}
		if b.told[e.Suite] {
			e.Reason = ""
		}
		line := b.line(e.SuiteResult)
		delete(b.suites, e.Suite)
		if b.v.area == nil {
			line = b.alike() + line
		}
		b.v.print(b.w, line)
	case *api.RunFinished:
		if b.v.area == nil {
			b.v.print(b.w, b.alike())
		}
	}
}

// failure returns the lines of the newest failure, if it is like none before.
func (b *bySuite) failure() string {
	b.v.mu.Lock()
	defer b.v.mu.Unlock()
	causes := b.v.failures.causes
	last := causes[len(causes)-1]
	if last.more > 0 || last.told < 0 {
		return ""
	}
	causes[len(causes)-1].told = -1
	said := strings.Join(strings.Fields(last.first.Message), " ")
	if f := last.first; f.Test == "" && said != "" && strings.HasSuffix(b.unbuilt[f.Suite], said) {
		return "" // the suite's line says it
	}
	if last.first.Test == "" {
		b.told[last.first.Suite] = true
	}
	return strings.Join(b.v.causeLines(last, 1<<16), "\n") + "\n"
}

// alike counts the failures that were not printed because they are like others.
func (b *bySuite) alike() string {
	b.v.mu.Lock()
	defer b.v.mu.Unlock()
	var text strings.Builder
	for i, c := range b.v.failures.causes {
		if n := c.more - max(c.told, 0); n > 0 {
			fmt.Fprintf(&text, "  %d more like %s\n", n, b.v.short(c.first.Suite, c.first.Test))
			b.v.failures.causes[i].told = c.more
		}
	}
	return text.String()
}

// line tells how a suite ended.
func (b *bySuite) line(r sdk.SuiteResult) string {
	style, s := b.v.cfg.Style, b.of(r.Suite)
	tests := s.passed + s.failed + s.skipped
	word, what := style.Green("ok")+"   ", api.Plural(tests, "test")
	switch {
	case r.Outcome == sdk.SuitePassed && s.whole && tests == 0:
		word, what = style.Yellow("skip")+" ", "skipped as a whole"
	case r.Outcome == sdk.SuiteNoTests || r.Outcome == sdk.SuitePassed && tests == 0:
		word, what = style.Dim("-")+"    ", "no test ran"
	case r.Outcome == sdk.SuitePassed && s.passed == 0:
		word, what = style.Yellow("skip")+" ", what+" skipped"
		if tests > 1 {
			what = "all " + what
		}
	case r.Outcome == sdk.SuitePassed && s.skipped > 0:
		what += fmt.Sprintf(", %d skipped", s.skipped)
	case r.Outcome == sdk.SuitePassed:
	default:
		word, what = style.Red("FAIL")+" ", fmt.Sprintf("%d of %d", s.failed, tests)
		switch r.Outcome {
		case sdk.SuiteBuildFailed:
			what = "does not build"
			if r.Reason != "" {
				what += ": " + prose.Line(r.Reason)
			}
		case sdk.SuiteAborted:
			if what += ", and it ended early"; tests == 0 {
				what = "ended early, and no test ran"
			}
		case sdk.SuiteFailedOutsideTests:
			what += ", and it failed outside of tests"
		case sdk.SuiteUnfinished:
			what = "did not finish"
		}
	}
	name := b.v.testName(r.Suite, "")
	b.width = min(max(b.width, render.Cells(name), 12), 40)
	pad := strings.Repeat(" ", max(b.width-render.Cells(name), 0))
	took := fmt.Sprintf("%.2fs", r.Elapsed.Seconds())
	if r.Cached {
		took = "cached"
	}
	return fmt.Sprintf("%s %s%s  %-10s  %s\n", word, name, pad, what, took)
}

// heart reports progress from time to time if nothing else is printed.
type heart struct {
	mu   sync.Mutex
	last time.Time
	done chan struct{}
}

// startHeart starts it for a run.
func (v *View) startHeart() {
	if v.beat != nil || v.cfg.Style.Quiet {
		return
	}
	h := &heart{last: time.Now(), done: make(chan struct{})}
	v.beat = h
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-h.done:
				return
			case now := <-tick.C:
				if h.isDue(now) {
					_, _ = io.WriteString(v.cfg.Out, v.heartbeat(now)+"\n")
				}
			}
		}
	}()
}

// isDue reports whether nothing was printed for long, and begins anew if so.
func (h *heart) isDue(now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	due := now.Sub(h.last) >= silence
	if due {
		h.last = now
	}
	return due
}

func (h *heart) reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = time.Now()
}

func (h *heart) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.done:
	default:
		close(h.done)
	}
}

// heartbeat returns the progress, on one line.
func (v *View) heartbeat(now time.Time) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	p, elapsed := v.progress, now.Sub(v.began)
	text := fmt.Sprintf("%s %d:%02d ", v.cfg.Style.Symbols("…"), int(elapsed.Minutes()), int(elapsed.Seconds())%60)
	if len(p.Running) == 0 {
		return text + api.Plural(p.SuitesDone, v.noun) + " done, no test is running"
	}
	r := p.Running[0]
	return text + fmt.Sprintf("%s running for %s", v.short(r.ID.Suite, r.ID.Test), prose.Duration(r.Elapsed+now.Sub(v.at)))
}
