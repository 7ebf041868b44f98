package plugin

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestWatchRunsOutOnlyWhileSomethingIsExpected(t *testing.T) {
	const idle = 10 * time.Second
	for name, c := range map[string]struct {
		act  func(w *watch)
		want string
	}{
		"nothing expected":    {func(*watch) { time.Sleep(time.Hour) }, ""},
		"expected in vain":    {func(w *watch) { w.expect("an answer"); time.Sleep(idle + 1) }, "an answer"},
		"expected, just come": {func(w *watch) { w.expect("an answer"); time.Sleep(idle - 1); w.rest(); time.Sleep(time.Hour) }, ""},
		"events in time": {func(w *watch) {
			w.expect("an answer")
			for range 100 {
				time.Sleep(idle - 1)
				w.event()
				w.handled()
			}
			w.end()
		}, ""},
		"then no more events": {func(w *watch) {
			w.expect("an answer")
			time.Sleep(idle - 1)
			w.event()
			w.handled()
			time.Sleep(idle + 1)
		}, "an answer"},
		"the host is busy with an event": {func(w *watch) {
			w.expect("an answer")
			w.event()
			time.Sleep(time.Hour)
			w.handled()
			w.end()
		}, ""},
		"ended": {func(w *watch) {
			w.expect("an answer")
			w.end()
			w.event()
			w.handled()
			w.expect("more")
			time.Sleep(time.Hour)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got []string
				w := newWatch(idle, func(waiting string) { got = append(got, waiting) })
				c.act(w)
				synctest.Wait()
				w.end()
				if c.want == "" && len(got) != 0 || c.want != "" && (len(got) != 1 || got[0] != c.want) {
					t.Errorf("got %q, want %q", got, c.want)
				}
			})
		})
	}
}
