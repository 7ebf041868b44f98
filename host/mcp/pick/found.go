package pick

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

// MostFound is how many failures of a run in progress are told, and how many suites that
// were not built. The answer to the run has the sources, too.
const MostFound = 10

// Found is what is wrong so far in a run in progress: whoever waits for it can fix it
// meanwhile.
type Found struct {
	// NotBuilt are the first suites whose tests cannot run, and Failures the first failures.
	NotBuilt []NotBuilt
	Failures []api.Failure
	// NotBuiltTotal and FailuresTotal count all.
	NotBuiltTotal, FailuresTotal int
	// unbuilt are the suites that NotBuilt begins with, foretold those of them of which so
	// far only the check before the tests says so.
	unbuilt  []NotBuilt
	foretold map[string]bool
}

// maxUnbuilt bounds the suites of which more is known than their number: any that was
// foretold may be taken back.
const maxUnbuilt = 1000

// NotBuilt is a suite that was not built, and the first error.
type NotBuilt struct {
	Suite  string `json:"suite"`
	Reason string `json:"reason,omitempty"`
}

// Listen handles an event of the run.
func (f *Found) Listen(e api.Event) {
	switch e := e.(type) {
	case *api.RunStarted:
		*f = Found{}
	case *api.BuildForetold:
		if f.foretold == nil {
			f.foretold = map[string]bool{}
		}
		if !f.foretold[e.Suite] && len(f.unbuilt) < maxUnbuilt {
			f.foretold[e.Suite] = true
			f.addNotBuilt(e.SuiteResult)
		}
	case *api.SuiteEnded:
		f.takeBack(e.Suite)
		if e.Outcome == sdk.SuiteBuildFailed {
			f.addNotBuilt(e.SuiteResult)
		}
	case *api.FailureFound:
		if f.FailuresTotal++; len(f.Failures) < MostFound {
			f.Failures = append(f.Failures, e.Failure)
		}
	}
}

func (f *Found) addNotBuilt(s sdk.SuiteResult) {
	if f.NotBuiltTotal++; len(f.unbuilt) < maxUnbuilt {
		f.setUnbuilt(append(f.unbuilt, NotBuilt{s.Suite, s.Reason}))
	}
}

func (f *Found) setUnbuilt(suites []NotBuilt) {
	f.unbuilt, f.NotBuilt = suites, suites[:min(len(suites), MostFound)]
}

// takeBack takes back what was foretold of a suite: what its tests' command says counts.
func (f *Found) takeBack(suite string) {
	if f.foretold[suite] {
		delete(f.foretold, suite)
		f.NotBuiltTotal--
		f.setUnbuilt(slices.DeleteFunc(f.unbuilt, func(n NotBuilt) bool { return n.Suite == suite }))
	}
}

// Copy returns a Found that no longer changes.
func (f *Found) Copy() Found {
	return Found{
		NotBuilt: slices.Clone(f.NotBuilt), Failures: slices.Clone(f.Failures),
		NotBuiltTotal: f.NotBuiltTotal, FailuresTotal: f.FailuresTotal,
	}
}

// First returns a Found with at most this many of each kind.
func (f Found) First(most int) Found {
	f.NotBuilt, f.Failures = f.NotBuilt[:min(len(f.NotBuilt), most)], f.Failures[:min(len(f.Failures), most)]
	return f
}

// Line says in a few words what is not built; "" if nothing is known.
func (f Found) Line() string {
	if f.NotBuiltTotal == 0 {
		return ""
	}
	line := "not built: " + f.NotBuilt[0].line()
	if more := f.NotBuiltTotal - 1; more > 0 {
		line += fmt.Sprintf(" (and %d more)", more)
	}
	return line
}

func (n NotBuilt) line() string {
	return prose.Line(strings.TrimSuffix(n.Suite+": "+n.Reason, ": "))
}

// Text lists what is wrong, a line each; "" if nothing is known to be.
func (f Found) Text() string {
	var b strings.Builder
	list := func(title string, total, shown int, line func(i int) string) {
		if total == 0 {
			return
		}
		b.WriteString(title + " so far:\n")
		for i := range shown {
			b.WriteString("  " + line(i) + "\n")
		}
		if more := total - shown; more > 0 {
			fmt.Fprintf(&b, "  ... and %d more\n", more)
		}
	}
	list("not built", f.NotBuiltTotal, len(f.NotBuilt), func(i int) string { return f.NotBuilt[i].line() })
	list("failed", f.FailuresTotal, len(f.Failures), func(i int) string { return render.FailureLine(f.Failures[i]) })
	return strings.TrimSuffix(b.String(), "\n")
}
