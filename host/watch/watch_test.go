package watch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/watch"
)

// bench is a watch over sources and a runner that are only pretended. Its clock is that
// of the test's bubble.
type bench struct {
	t         *testing.T
	hints     chan struct{}
	commands  chan watch.Command
	took      time.Duration // what a round takes
	toStop    time.Duration // what it takes to stop one
	writes    string        // the file that the tests write, if any
	makes     string        // the file that the tests make and remove, if any; with *, another number in each round, it stays
	made      int
	unheard   string // the file that is written during a round without an event
	lookTakes time.Duration
	prepares  bool // whether rounds can be prepared; that is told

	mu      sync.Mutex
	files   map[string]int // the versions of the files
	seen    map[string]int
	looks   int
	err     error
	story   []string
	version int
}

// run runs a story in a bubble: what happened in it is asserted as text.
func run(t *testing.T, took time.Duration, story func(*bench), want ...string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{
			t: t, took: took, hints: make(chan struct{}, 1), commands: make(chan watch.Command),
			files: map[string]int{"cart.go": 1, "mail.go": 1}, seen: map[string]int{"cart.go": 1, "mail.go": 1},
		}
		ended := make(chan bool, 1)
		w := &watch.Watch{Sources: b, Runner: b, Viewer: b, Hints: b.hints, Commands: b.commands}
		go func() { ended <- w.Run(t.Context()) }()
		synctest.Wait()
		story(b)
		select {
		case <-ended:
		default:
			b.commands <- watch.Command{Action: watch.Quit}
			<-ended
		}
		if !slices.Equal(b.story, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(b.story, "\n"), strings.Join(want, "\n"))
		}
	})
}

func (b *bench) save(names ...string) {
	b.mu.Lock()
	b.version++
	for _, name := range names {
		b.files[name] = b.version + 1
	}
	b.mu.Unlock()
	b.hint()
}

// write has the tests write a file from now on, or none.
func (b *bench) write(name string) {
	b.mu.Lock()
	b.writes = name
	b.mu.Unlock()
}

func (b *bench) hint() {
	select {
	case b.hints <- struct{}{}:
	default:
	}
	synctest.Wait()
}

func (b *bench) wait(d time.Duration) { time.Sleep(d); synctest.Wait() }

func (b *bench) press(c watch.Command) { b.commands <- c; synctest.Wait() }

func (b *bench) tell(format string, words ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.story = append(b.story, fmt.Sprintf(format, words...))
}

func (b *bench) Look(context.Context) (watch.Look, error) {
	time.Sleep(b.lookTakes)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.looks++; b.err != nil {
		return watch.Look{}, b.err
	}
	seen := watch.Look{State: fmt.Sprint(b.files), Added: true}
	for name, version := range b.files {
		if was, ok := b.seen[name]; was != version {
			seen.Files, seen.Added = append(seen.Files, name), seen.Added && !ok
		}
		b.seen[name] = version
	}
	for name := range b.seen {
		if _, ok := b.files[name]; !ok {
			seen.Files, seen.Added = append(seen.Files, name), false
			delete(b.seen, name)
		}
	}
	slices.Sort(seen.Files)
	return seen, nil
}

func (b *bench) Prepare(ctx context.Context) *ledger.Known {
	if !b.prepares {
		return nil
	}
	select {
	case <-ctx.Done():
		b.tell("threw away")
		return nil
	case <-time.After(100 * time.Millisecond):
		b.tell("prepared")
		return &ledger.Known{}
	}
}

func (b *bench) Run(ctx context.Context, r watch.Round, _ api.Listener) watch.Result {
	if b.unheard != "" {
		b.mu.Lock()
		b.version++
		b.files[b.unheard], b.unheard = b.version+1, ""
		b.mu.Unlock()
		time.Sleep(b.took)
		return watch.Result{Runs: []api.Run{{MixedState: true}}}
	}
	b.mu.Lock()
	writes, makes := b.writes, b.makes
	b.mu.Unlock()
	if makes != "" {
		return b.makeAndRemove(ctx, makes)
	}
	if writes != "" {
		time.Sleep(b.took / 2)
		b.mu.Lock()
		b.version++
		b.files[writes] = b.version + 1
		b.mu.Unlock()
		b.hints <- struct{}{}
	}
	select {
	case <-ctx.Done():
		time.Sleep(b.toStop)
	case <-time.After(b.took):
	}
	return watch.Result{Err: ctx.Err()}
}

// setMakes sets the file that the tests make from now on.
func (b *bench) setMakes(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.makes = name
}

// takeStory returns what was told so far, and the notes of it, and begins anew.
func (b *bench) takeStory() (story, notes []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	story, b.story = b.story, nil
	return story, slices.DeleteFunc(slices.Clone(story), func(line string) bool { return !strings.HasPrefix(line, "note: ") })
}

// makeAndRemove is a round whose tests make a source and remove it.
func (b *bench) makeAndRemove(ctx context.Context, makes string) watch.Result {
	b.made++
	name := strings.ReplaceAll(makes, "*", fmt.Sprint(b.made))
	for _, made := range []bool{true, false} {
		select {
		case <-ctx.Done():
		case <-time.After(b.took / 3):
		}
		b.mu.Lock()
		if b.files[name] = 1; !made && name == makes {
			delete(b.files, name)
		}
		b.mu.Unlock()
		b.hints <- struct{}{}
	}
	select {
	case <-ctx.Done():
	case <-time.After(b.took / 3):
	}
	return watch.Result{Err: ctx.Err()}
}

func (b *bench) Begin(r watch.Round) {
	what := [...]string{"changed", "everything", "failed", "affected", "update"}[r.What]
	if r.Restarted {
		what = "restarted: " + what
	}
	if !r.Narrow.IsZero() {
		what += " of " + r.Narrow.Package + r.Narrow.Filter
	}
	b.tell("%s", strings.TrimSpace(what+" "+strings.Join(r.Saved, " ")))
}

func (b *bench) End(r watch.Result) {
	if r.Stopped {
		b.tell("stopped")
		return
	}
	b.tell("ended after %v", r.Took)
}

func (b *bench) Listen(api.Event)     {}
func (b *bench) Queue(watch.What)     { b.tell("queued") }
func (b *bench) Stopping()            {}
func (b *bench) Note(text string)     { b.tell("note: %s", text) }
func (b *bench) key(what watch.What)  { b.press(watch.Command{What: what}) }
func (b *bench) act(act watch.Action) { b.press(watch.Command{Action: act}) }

func TestAnEditRunsWhatItCanBreakOnceNothingChangesAnyMore(t *testing.T) {
	run(t, time.Second, func(b *bench) {
		b.wait(2 * time.Second)
		b.save("cart.go")
		b.wait(150 * time.Millisecond)
		b.save("mail.go") // of the same burst
		b.wait(3 * time.Second)
	}, "changed", "ended after 1s", "changed cart.go mail.go", "ended after 1.35s")
}

func TestARoundIsPreparedWhileNothingElseIsChanged(t *testing.T) {
	run(t, time.Second, func(b *bench) {
		b.prepares = true
		b.wait(2 * time.Second)
		b.save("cart.go")
		b.wait(100 * time.Millisecond) // not long enough to be prepared
		b.save("mail.go")
		b.wait(3 * time.Second)
	}, "changed", "ended after 1s", "threw away", "prepared", "changed cart.go mail.go", "ended after 1.3s")
}

func TestWhatIsNotReadyInTimeIsWaitedFor(t *testing.T) {
	run(t, time.Second, func(b *bench) {
		b.prepares = true
		b.wait(2 * time.Second)
		b.hint() // of no source, so that the next burst is looked at first
		b.wait(time.Second)
		b.lookTakes = 150 * time.Millisecond
		b.save("cart.go")
		b.wait(3 * time.Second)
	}, "changed", "ended after 1s", "threw away", "changed cart.go", "prepared", "ended after 1.28s")
}

func TestWhatChangedUnnoticedDuringARoundBeginsAnother(t *testing.T) {
	run(t, time.Second, func(b *bench) {
		b.wait(2 * time.Second)
		b.unheard = "mail.go"
		b.save("cart.go")
		b.wait(2500 * time.Millisecond)
	}, "changed", "ended after 1s", "changed cart.go", "ended after 1.2s", "changed mail.go", "ended after 1s")
}

func TestABurstWithoutAnEndIsNotWaitedFor(t *testing.T) {
	run(t, 10*time.Millisecond, func(b *bench) {
		b.wait(time.Second)
		b.save("cart.go")
		for range 25 {
			b.wait(100 * time.Millisecond)
			b.hint()
		}
	}, "changed", "ended after 10ms", "changed cart.go", "ended after 2.01s")
}

func TestEventsWithoutAChangeRunNothing(t *testing.T) {
	run(t, time.Second, func(b *bench) {
		b.wait(2 * time.Second)
		looks := b.looks
		b.hint() // a save of the same text, a file that git ignores, a file that came and went
		b.wait(time.Second)
		if b.looks != looks+1 {
			b.t.Errorf("%d looks for one burst", b.looks-looks)
		}
	}, "changed", "ended after 1s")
}

func TestAnEditStopsTheRoundThatItMadeStale(t *testing.T) {
	run(t, time.Minute, func(b *bench) {
		b.wait(2 * time.Minute)
		b.save("cart.go")
		b.wait(10 * time.Second)
		b.save("mail.go")
		b.wait(2 * time.Minute)
	}, "changed", "ended after 1m0s", "changed cart.go", "restarted: changed mail.go", "ended after 1m0.2s")
}

func TestARoundThatTheUserAskedForBeginsAgainAfterAnEdit(t *testing.T) {
	run(t, time.Minute, func(b *bench) {
		b.wait(2 * time.Minute)
		b.key(watch.Everything)
		b.wait(10 * time.Second)
		b.save("mail.go")
		b.wait(2 * time.Minute)
		b.key(watch.Failed)
		b.wait(10 * time.Second)
		b.save("mail.go")
		b.wait(2 * time.Minute)
	}, "changed", "ended after 1m0s", "everything", "restarted: everything mail.go", "ended after 1m0.2s",
		"failed", "restarted: changed mail.go", "ended after 1m0.2s")
}

func TestAKeyPressedDuringARoundWaitsForItsEnd(t *testing.T) {
	run(t, time.Minute, func(b *bench) {
		b.wait(10 * time.Second)
		b.key(watch.Failed)
		b.key(watch.Everything) // the last one counts
		b.wait(3 * time.Minute)
	}, "changed", "queued", "queued", "ended after 1m0s", "everything", "ended after 1m50s")
}

func TestAKeyPressedWhileAnEditWaitsForTheRoundCounts(t *testing.T) {
	run(t, 10*time.Second, func(b *bench) {
		b.wait(20 * time.Second)
		b.write("golden.txt")
		b.key(watch.Update) // which the change of golden.txt does not stop
		b.wait(9 * time.Second)
		b.write("")
		b.key(watch.Everything)
		b.wait(20 * time.Second)
	}, "changed", "ended after 10s", "update", "queued", "ended after 15s", "everything golden.txt", "ended after 20s")
}

func TestAKeyPressedInAPauseRunsTheEditThatWaits(t *testing.T) {
	run(t, 2*time.Second, func(b *bench) {
		b.write("golden.txt")
		b.save("cart.go")
		for { // until a note, which a pause follows
			if _, notes := b.takeStory(); len(notes) > 0 {
				break
			}
			b.wait(100 * time.Millisecond)
		}
		b.write("")
		b.key(watch.Failed)
		b.wait(time.Minute)
	}, "changed golden.txt", "ended after 4s")
}

func TestAStoppedRoundStaysStopped(t *testing.T) {
	run(t, time.Minute, func(b *bench) {
		b.wait(10 * time.Second)
		b.key(watch.Failed)
		b.act(watch.Stop)
		b.wait(3 * time.Minute)
	}, "changed", "queued", "stopped")
}

func TestANarrowedWatchRunsThatPartUntilSomethingElseIsAskedFor(t *testing.T) {
	run(t, time.Second, func(b *bench) {
		b.wait(2 * time.Second)
		b.press(watch.Command{Action: watch.SetNarrow, Narrow: watch.Narrow{Package: "./cart"}})
		b.wait(2 * time.Second)
		b.save("cart.go")
		b.wait(2 * time.Second)
		b.key(watch.Everything)
		b.wait(2 * time.Second)
		b.press(watch.Command{Action: watch.SetNarrow, Narrow: watch.Narrow{Package: "./cart"}})
		b.wait(2 * time.Second)
		b.key(watch.Failed) // not those of the part: the round is named for what is outstanding
		b.wait(2 * time.Second)
	}, "changed", "ended after 1s", "everything of ./cart", "ended after 1s", "changed of ./cart cart.go", "ended after 1.2s",
		"everything", "ended after 1s", "everything of ./cart", "ended after 1s", "failed", "ended after 1s")
}

func TestTestsThatWriteASourceDoNotRunForEver(t *testing.T) {
	run(t, 2*time.Second, func(b *bench) {
		b.write("golden.txt")
		b.save("cart.go")
		b.wait(40 * time.Second)
		n := 0
		for _, line := range b.story {
			if strings.HasPrefix(line, "note: golden.txt changes whenever tests run") {
				n++
			}
		}
		if rounds := len(b.story); n != 1 || rounds > 20 {
			b.t.Errorf("told %d times, in %d lines", n, rounds)
		}
		b.write("")
		b.wait(time.Hour)
		b.story = nil
		b.save("cart.go") // at once: it is an edit
		b.wait(5 * time.Second)
	}, "changed cart.go", "ended after 2.2s")
}

func TestTestsThatMakeASourceAndRemoveItDoNotRunForEver(t *testing.T) {
	run(t, 6*time.Second, func(b *bench) {
		b.wait(10 * time.Second)
		b.setMakes("made.go")
		b.save("cart.go")
		b.wait(10 * time.Minute)
		b.setMakes("")
		story, notes := b.takeStory()
		if len(story) > 40 {
			b.t.Errorf("%d lines", len(story))
		}
		if want := []string{"note: made.go changes whenever tests run: if they write it, have git ignore it"}; !slices.Equal(notes, want) {
			b.t.Errorf("%q", notes)
		}
		b.save("cart.go")
		b.wait(7 * time.Second)
	}, "changed cart.go made.go", "ended after 6.2s")
}

func TestFilesThatTestsLeaveUnderAnotherNameEachTimeAreBlamed(t *testing.T) {
	run(t, 6*time.Second, func(b *bench) {
		b.wait(10 * time.Second)
		b.setMakes("made*.go")
		b.save("cart.go")
		b.wait(time.Minute)
		b.setMakes("")
		b.wait(time.Hour)
		_, notes := b.takeStory()
		if len(notes) != 1 || !strings.HasPrefix(notes[0], "note: cart.go and ") && !strings.HasPrefix(notes[0], "note: made") {
			b.t.Errorf("%q", notes)
		}
	})
}

func TestAnUpdateIsNotStoppedByWhatItWrites(t *testing.T) {
	run(t, 10*time.Second, func(b *bench) {
		b.wait(20 * time.Second)
		b.write("golden.txt")
		b.key(watch.Update)
		b.wait(9 * time.Second)
		b.write("")
		b.wait(20 * time.Second)
	}, "changed", "ended after 10s", "update", "ended after 15s", "changed golden.txt", "ended after 20s")
}

func TestAFileSystemWithoutEventsIsPolled(t *testing.T) {
	run(t, time.Second, func(b *bench) {
		b.wait(2 * time.Second)
		for range 3 {
			b.mu.Lock()
			b.files["cart.go"]++
			b.mu.Unlock()
			b.wait(12 * time.Second)
		}
		b.mu.Lock()
		b.files["cart.go"]++
		b.mu.Unlock()
		b.wait(2500 * time.Millisecond)
	}, "changed", "ended after 1s", "changed cart.go", "ended after 1s",
		"note: this file system does not report changes: looking at the sources every second instead",
		"changed cart.go", "ended after 1s", "changed cart.go", "ended after 1s", "changed cart.go", "ended after 1s")
}

func TestAnErrorIsReportedOnceAndTheWatchContinues(t *testing.T) {
	run(t, time.Second, func(b *bench) {
		b.wait(2 * time.Second)
		b.err = errors.New("/w is not a directory")
		b.hint()
		b.wait(time.Minute)
		b.err = nil
		b.save("cart.go")
		b.wait(5 * time.Second)
	}, "changed", "ended after 1s", "note: the state of the sources cannot be determined: /w is not a directory", "changed cart.go", "ended after 1.2s")
}

func TestQuittingStopsTheRound(t *testing.T) {
	run(t, time.Hour, func(b *bench) {
		b.wait(time.Second)
		b.act(watch.Quit)
		b.wait(time.Millisecond)
	}, "changed", "stopped")
}

func TestQuittingTwiceDoesNotWaitForTheRound(t *testing.T) {
	run(t, time.Hour, func(b *bench) {
		b.toStop = time.Minute
		b.wait(time.Second)
		b.act(watch.Quit)
		b.act(watch.Quit)
		b.wait(time.Minute)
	}, "changed", "stopped")
}
