package outstanding

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// addFailure takes the name of something that failed: a test, a suite, or the run.
// Results say the same as a rule; a failure of which no result tells must not be
// lost.
func (f *Fold) addFailure(id api.Test, kind string) {
	// A signal that ended its process may be the user's.
	if kind == sdk.KindSignal {
		defer func() { f.signalled[id] = true }()
	} else {
		defer func() { f.blamed[id] = true }()
	}
	if _, ok := f.red[id]; ok {
		return
	}
	why := whyOf(kind)
	switch {
	case id == everything && f.scope.Tests != nil && !f.askedAll:
		// What was asked for has not passed, and so stays. It is not known
		// that anything else is red.
	case id == everything && why == WhyCut:
		f.cut = true // it may be known by name what it left undone; see [Fold.CutOff]
	case id == everything:
		f.RunUnknown(why)
	case f.fixtures[id]:
		f.TestsUnknown(id.Suite, WhyFixture)
	case id.Test == "":
		f.TestsUnknown(id.Suite, why)
	default:
		f.addRed(Entry{Test: id, Reason: ReasonFailed})
	}
}

// whyOf is what a failure beside a test's result means for the outstanding set.
func whyOf(kind string) Why {
	switch kind {
	case sdk.KindBuild, sdk.KindVet:
		return WhyUnbuilt
	case sdk.KindSetup:
		return WhySetup
	case sdk.KindTimeout, sdk.KindSignal:
		return WhyCut
	}
	return WhyOutside
}

// Interrupted says that the user ended the run. What it left undone is not
// outstanding for that: only what had started is, by its name where it has one.
// named tells of a suite whether its tests have.
func (f *Fold) Interrupted(named func(suite string) bool) {
	f.interrupted, f.cut = true, false
	f.Overrule(func(id api.Test) bool {
		e := f.red[id]
		return id.Test == "" && e.Why == WhyCut && (e.Suite == "" || len(f.roots[e.Suite]) == 0 || named(e.Suite))
	})
}

// addFixture takes the end of what a suite's tests stand on. It is not outstanding
// itself: nobody can run it again without the suite, and a suite whose fixture
// works does not speak of it.
func (f *Fold) addFixture(id api.Test, status sdk.Status) {
	if status != sdk.Failed && status != sdk.Unfinished {
		return
	}
	f.fixtures[id] = true
	if _, ok := f.red[id]; ok {
		f.Overrule(func(t api.Test) bool { return t == id })
	}
	f.TestsUnknown(id.Suite, WhyFixture)
}

// CutOff ends a run that may have been cut off itself, beside its suites and tests:
// unless all that it left undone has a name, everything is outstanding then.
func (f *Fold) CutOff(named bool) {
	if f.cut && !named {
		f.RunUnknown(WhyCut)
	}
	f.cut = false
}

// EnvMark stands between the arguments of a run and its environment, in
// [Scope.Args].
const EnvMark = "\x01"

// sameArgs reports whether this run answers for what is outstanding as a whole from
// a run with other arguments, such as a mistyped one: one of everything without
// any arguments that is green, in the same environment.
func (f *Fold) sameArgs(e Entry, reach Reach) bool {
	if e.Args == f.scope.Args {
		return true
	}
	args, env, _ := strings.Cut(f.scope.Args, EnvMark)
	_, before, marked := strings.Cut(e.Args, EnvMark)
	return reach == Green && args == "" && marked && env == before
}

// Removed says of which tests the file is no longer there: these cannot come back
// with other arguments or in another environment.
func (f *Fold) Removed(tests map[api.Test]bool) { f.removed = tests }

// wasRemoved reports whether a test is gone with its file: with other arguments or in
// another environment it would not exist either. One whose whole still runs has
// moved to another file.
func (f *Fold) wasRemoved(e Entry) bool {
	return f.removed[e.Test] && f.seen[api.Test{Suite: e.Suite, Test: e.listed()}] == ""
}

// Red reports whether anything came in.
func (f *Fold) Red() bool { return len(f.red) > 0 }

// IsRed reports whether a test, or a suite as a whole, came in.
func (f *Fold) IsRed(id api.Test) bool {
	_, red := f.red[id]
	return red
}

// Groups splits the set by the ways in which its tests were red, and where these are
// not known by the runner arguments with which they came in. A
// group that has a test which was red in the run last comes first: that is what
// somebody works on. Of several such, as otherwise, the longest outstanding is first.
func (s Set) Groups(last string) []Set {
	index := map[string]int{}
	var groups []Set
	first := -1
	for _, e := range s.Entries {
		args, _, known := strings.Cut(e.Args, EnvMark)
		if !known {
			args += EnvMark // of a killed run: they are no others' arguments
		}
		if e.Way != nil {
			args = "\x02" + e.Way.key()
		}
		i, ok := index[args]
		if !ok {
			i = len(groups)
			index[args] = i
			groups = append(groups, Set{Known: s.Known})
		}
		if first < 0 && last != "" && e.LastRunID == last {
			first = i
		}
		groups[i].Entries = append(groups[i].Entries, e)
	}
	if first > 0 {
		chosen := groups[first]
		groups = slices.Insert(slices.Delete(groups, first, first+1), 0, chosen)
	}
	return groups
}

// Late is the set with those marked that the last rerun asked for in vain.
func (s Set) Late(inVain map[api.Test]bool) Set {
	if len(inVain) == 0 {
		return s
	}
	late := Set{Known: s.Known, Entries: slices.Clone(s.Entries)}
	for i := range late.Entries {
		late.Entries[i].Late = inVain[late.Entries[i].Test]
	}
	return late
}

// Only is the part of the set for whose entries keep says so.
func (s Set) Only(keep func(Entry) bool) Set {
	only := Set{Known: s.Known}
	for _, e := range s.Entries {
		if keep(e) {
			only.Entries = append(only.Entries, e)
		}
	}
	return only
}

// Within returns those of the requested tests that lie within the listed tests
// of others, these included.
func Within(requested, others []Target) []Target {
	roots := map[api.Test]bool{}
	for _, t := range others {
		roots[t.listed()] = true
	}
	within := []Target{}
	for _, t := range requested {
		if t.Test.Test != "" && roots[t.listed()] {
			within = append(within, t)
		}
	}
	return within
}

// listed is the listed test that a target is, or belongs to.
func (t Target) listed() api.Test {
	if t.Root != "" {
		return api.Test{Suite: t.Suite, Test: t.Root}
	}
	return t.Test
}
