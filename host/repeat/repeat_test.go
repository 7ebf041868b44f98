package repeat

import (
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
)

// Each letter is a run: p passes, f fails, e passes on other sources, and s passes slowly.
func TestRunsRepeatUntilOneDoesNotPass(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		runs    string
		repeat  int
		timeout time.Duration
		made    int
		note    string
	}{
		"once by default":          {"ppp", 0, 0, 1, ""},
		"as often as asked":        {"ppp", 3, 0, 3, "passed in 3 of 3 runs on the same sources"},
		"until it fails":           {"ppfp", 9, 0, 3, "run 3 of at most 9 did not pass, and the 2 before it did: 1 of 3"},
		"not after a failure":      {"fp", 9, 0, 1, "the first of at most 9 runs did not pass"},
		"not over changed sources": {"pep", 9, 0, 2, "the sources changed during run 2"},
		"not past the time-out":    {"ssssss", 6, 35 * time.Second, 3, "the time-out leaves no room for the other 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made, now := 0, time.Time{}
			ids := map[string]int{}
			r := repeater{now: func() time.Time { return now }, run: func(req api.RunRequest) ([]api.Run, error) {
				kind := c.runs[made]
				made++
				ids[req.RunID]++
				if c.timeout > 0 && req.Timeout > c.timeout-now.Sub(time.Time{}) {
					t.Errorf("run %d may take %v", made, req.Timeout)
				}
				run := api.Run{Verdict: api.Passed, Source: &api.Source{Fingerprint: "one"}}
				switch kind {
				case 'f':
					run.Verdict = api.Failed
				case 'e':
					run.Source.Fingerprint = "two"
				case 's':
					now = now.Add(10 * time.Second)
				}
				return []api.Run{run}, nil
			}}
			runs, err := r.repeat(api.RunRequest{RunID: "id", Repeat: c.repeat, Timeout: c.timeout})
			if err != nil || len(runs) != 1 || made != c.made || ids["id"] != 1 {
				t.Fatalf("%d runs with the ids %v, %v", made, ids, err)
			}
			note := ""
			for _, n := range runs[0].Warnings {
				note += n.Text
			}
			if (note == "") != (c.note == "") || !strings.Contains(note, c.note) {
				t.Errorf("the note is %q", note)
			}
		})
	}
}
