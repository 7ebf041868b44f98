package standing

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
)

// Each case changes how f stands, or what is stored of it, although no test of f runs.
func TestAFileIsJudgedAgainByWhatItsOwnTestsDoNotSay(t *testing.T) {
	t.Parallel()
	sound, good, bad := historytest.Passed("g", "Sound"), historytest.Passed("f", "T"), historytest.Failed("f", "T")
	everything := func(session, setting string) history.Run {
		return history.Run{SessionID: session, Whole: true, Environment: history.ShortOf(setting)}
	}
	ran := func(p *ledgertest.Workspace, run history.Run, results ...history.Result) {
		t.Helper()
		_, err := Entries(t.Context(), p.Ledger, p.RunAs(run, results...))
		p.Must(err)
	}
	put := func(p *ledgertest.Workspace, key, value string) {
		p.Must(p.History.Put(t.Context(), key, []byte(value)))
	}
	for _, c := range []struct {
		name  string
		spots int
		do    func(p *ledgertest.Workspace)
	}{
		{"nothing", 1, func(p *ledgertest.Workspace) {
			ran(p, everything("a", "A"), good)
			ran(p, everything("b", "A"), bad, sound)
			ran(p, history.Run{SessionID: "c"}, sound)
		}},
		{"a run of everything that ended late", 1, func(p *ledgertest.Workspace) {
			ran(p, everything("a", "A"), bad)
			late := everything("b", "A")
			late.ID, late.Kind, late.Language, late.StartedAt, late.State = "late", api.KindRun, "x", p.Now, api.StateRunning
			recorder, err := p.History.Begin(t.Context(), late)
			p.Must(err)
			ran(p, everything("c", "A"), bad)
			recorder.Add(sound)
			late.State, late.Verdict = api.StateFinished, api.Passed
			p.Must(recorder.Finish(t.Context(), late))
			row, err := p.History.Run(t.Context(), late.ID)
			p.Must(err)
			_, err = Entries(t.Context(), p.Ledger, row)
			p.Must(err)
		}},
		{"a run of everything that is no longer among those searched", 0, func(p *ledgertest.Workspace) {
			ran(p, everything("a", "A"), bad)
			ran(p, everything("b", "A"), sound)
			ran(p, everything("c", "A"), bad)
			for range WholeRuns {
				ran(p, everything("d", "B"), sound)
			}
		}},
		{"a run of everything that lacks its test", 0, func(p *ledgertest.Workspace) {
			ran(p, everything("a", "A"), good)
			ran(p, everything("b", "A"), bad)
			ran(p, everything("c", "A"), sound)
		}},
		{"files that another process put in place of those the head names", 1, func(p *ledgertest.Workspace) {
			ran(p, everything("a", "A"), good)
			ran(p, everything("b", "A"), bad, sound)
			put(p, filesKey, `{"files":[],"namesakes":[]}`)
			ran(p, history.Run{SessionID: "c"}, sound)
		}},
		{"files that cannot be read", 1, func(p *ledgertest.Workspace) {
			ran(p, everything("a", "A"), good)
			ran(p, everything("b", "A"), bad, sound)
			put(p, filesKey, `{"files":[`)
			ran(p, everything("c", "A"), bad)
		}},
		{"a head that cannot be read", 1, func(p *ledgertest.Workspace) {
			ran(p, everything("a", "A"), good)
			ran(p, everything("b", "A"), bad, sound)
			put(p, spotsKey, `{"runs":[[1,`)
			ran(p, history.Run{SessionID: "c"}, sound)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := ledgertest.New(t)
			p.Extent = UsualExtent()
			c.do(p)
			want, _ := everythingJudged(p)
			if len(want) != c.spots {
				t.Errorf("%d files give trouble: %v", len(want), want)
			}
			for range 2 { // computed, then stored
				now, err := JudgeSpots(t.Context(), p.Ledger)
				p.Must(err)
				if diff := gocmp.Diff(want, now.Spots(), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("the spots (-all judged +kept):\n%s", diff)
				}
			}
		})
	}
}
