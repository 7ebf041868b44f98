package query

import (
	"maps"
	"slices"
	"strings"
)

// The oracle keeps a list of what happened, and answers from docs/history.md by
// examining all of it again. It shares only vocabulary with the code.

// happened is a run; whole means one of everything.
type happened struct {
	session, state string
	whole          bool
	ended          map[string]rune // P, F or S, by test
}

// lore is all that happened to the tests of some files.
type lore struct {
	files map[string]string // of tests
	runs  []happened
}

// goneAt reports whether a run of everything lacks a test that an earlier one had.
func (l lore) goneAt(test string, now int) bool {
	_, has := l.runs[now].ended[test]
	return l.runs[now].whole && !has
}

// last is what an existing test last proved, in one session or any.
func (l lore) last(test, session string, now int) rune {
	for i := now; i >= 0; i-- {
		if l.goneAt(test, i) {
			return 0
		}
		if r := l.runs[i].ended[test]; (r == 'P' || r == 'F') && (session == "" || l.runs[i].session == session) {
			return r
		}
	}
	return 0
}

// exists reports whether no run of everything after the one that last saw it lacks it.
func (l lore) exists(test string) bool {
	for i := len(l.runs) - 1; i >= 0; i-- {
		if _, has := l.runs[i].ended[test]; has {
			return true
		}
		if l.runs[i].whole {
			return false
		}
	}
	return false
}

// flakyUpTo reports whether it passed and failed on one state of the sources without
// passing at the end of the last three sessions, all of them after the evidence.
func (l lore) flakyUpTo(test string, now int) bool {
	evidence := -1
	for i, r := range l.runs[:now+1] {
		e := r.ended[test]
		contradicts := func(b happened) bool { return b.state == r.state && b.ended[test]+e == 'P'+'F' }
		if (e == 'P' || e == 'F') && slices.ContainsFunc(l.runs[:i], contradicts) {
			evidence = i
		}
	}
	if evidence < 0 {
		return false
	}
	var order []string
	ends := map[string]rune{}
	for _, r := range l.runs[evidence+1 : now+1] {
		if e := r.ended[test]; e == 'P' || e == 'F' {
			ends[r.session] = e
			order = append(slices.DeleteFunc(order, func(s string) bool { return s == r.session }), r.session)
		}
	}
	passed := 0
	for _, s := range slices.Backward(order) {
		if ends[s] != 'P' {
			break
		}
		passed++
	}
	return passed < 3
}

// passedThere reports whether it ever passed on the state on which it last failed.
func (l lore) passedThere(test string, now int) bool {
	for i := now; i >= 0; i-- {
		if l.runs[i].ended[test] == 'F' {
			return slices.ContainsFunc(l.runs[:now+1], func(r happened) bool { return r.ended[test] == 'P' && r.state == l.runs[i].state })
		}
	}
	return false
}

// table is that of docs/history.md. other is what was last before, ? means only seen.
func table(own string, other rune) string {
	passes := strings.HasSuffix(own, "P")
	switch {
	case passes && (strings.Contains(own, "F") || other == 'F'):
		return "fixed"
	case passes && other == 0:
		return "gap"
	case passes:
		return "passed"
	case other == 'F':
		return "failing"
	case other == 'P' || strings.Contains(own, "P"):
		return "regression"
	}
	return "gap"
}

// test says how a test stands, in the latest session in which it proved something.
func (l lore) test(test string) (class string, failed int, recurring, flaky bool) {
	at := -1
	for i, r := range l.runs {
		if e := r.ended[test]; e == 'P' || e == 'F' {
			at = i
		}
	}
	if at < 0 {
		return "", 0, false, false
	}
	session, own, other := l.runs[at].session, "", rune(0)
	end := at // skips of the same session after it belong to it
	for i := range l.runs {
		if _, has := l.runs[i].ended[test]; has && l.runs[i].session == session {
			end = max(end, i)
		}
	}
	var order []string
	ends := map[string]rune{}
	for i, r := range l.runs[:end+1] {
		e, has := r.ended[test]
		switch {
		case !has:
			continue
		case e == 'S':
			if r.session != session && i < at && other == 0 {
				other = '?'
			}
			continue
		case r.session == session:
			own += string(e)
		case i < at:
			other = e
		}
		ends[r.session] = e
		order = append(slices.DeleteFunc(order, func(s string) bool { return s == r.session }), r.session)
	}
	for _, e := range ends {
		if e == 'F' {
			failed++
		}
	}
	recurring = failed >= 3 && slices.ContainsFunc(order[len(order)-3:], func(s string) bool { return ends[s] == 'F' })
	flaky = l.flakyUpTo(test, end)
	class = table(own, other)
	if flaky && (class == "regression" || class == "fixed" || class == "failing" && l.passedThere(test, end)) {
		class = "flaky"
	}
	return class, failed, recurring, flaky
}

// of returns the tests of a file.
func (l lore) of(file string) (tests []string) {
	for t, f := range l.files {
		if f == file {
			tests = append(tests, t)
		}
	}
	slices.Sort(tests)
	return tests
}

// bad returns the existing bad tests of a file.
func (l lore) bad(file string, now int) (bad []string) {
	for _, t := range l.of(file) {
		if now >= 0 && l.last(t, "", now) == 'F' {
			bad = append(bad, t)
		}
	}
	return bad
}

// told reports whether a test of the file proved something in a run, or is gone with
// it.
func (l lore) told(file string, i int) bool {
	return slices.ContainsFunc(l.of(file), func(t string) bool {
		e := l.runs[i].ended[t]
		return e == 'P' || e == 'F' || i > 0 && l.goneAt(t, i) && l.last(t, "", i-1) == 'F'
	})
}

// suspect reports whether the test was bad in a run so far.
func (l lore) suspect(test string, now int) bool {
	return slices.ContainsFunc(l.runs[:now+1], func(r happened) bool { return r.ended[test] == 'F' })
}

// file says how a file stood when a session last ran it; empty means that it proved
// nothing. Its suspects show its course.
func (l lore) file(file, session string, now int) (class string, bad []string) {
	return l.fileBy(file, session, now, now)
}

// fileBy is file by the runs up to one, with the present suspects.
func (l lore) fileBy(file, session string, upTo, now int) (class string, bad []string) {
	at := -1
	for i, r := range l.runs[:upTo+1] {
		if r.session == session && l.told(file, i) {
			at = i
		}
	}
	if at < 0 {
		return "", nil
	}
	own, other, known := "", rune(0), false
	var meets rune
	for i, r := range l.runs[:at+1] {
		is := 'P'
		if len(l.bad(file, i)) > 0 {
			is = 'F'
		}
		about := slices.ContainsFunc(l.of(file), func(t string) bool {
			e := r.ended[t]
			return l.suspect(t, now) && (e == 'P' || e == 'F' || i > 0 && l.goneAt(t, i) && l.last(t, "", i-1) == 'F')
		})
		if r.session != session {
			known = known || slices.ContainsFunc(l.of(file), func(t string) bool { return r.ended[t] != 0 && !l.suspect(t, now) })
			if about {
				other = is
			}
			continue
		}
		if about || i == at {
			own += string(is)
			if meets = other; other == 0 && known {
				meets = 'P'
			}
		}
	}
	class, bad = table(own, meets), l.bad(file, at)
	allFlaky := len(bad) > 0
	for _, t := range bad {
		allFlaky = allFlaky && l.flakyUpTo(t, at)
	}
	for _, t := range bad {
		allFlaky = allFlaky && (class != "failing" || l.passedThere(t, at))
	}
	if (class == "regression" || class == "failing") && allFlaky || class == "fixed" && l.fileByItself(file, at) {
		class = "flaky"
	}
	return class, bad
}

// fileByItself reports whether what was last bad in the file is flaky.
func (l lore) fileByItself(file string, now int) bool {
	for i := now; i >= 0; i-- {
		some, all := false, true
		for _, t := range l.of(file) {
			if l.runs[i].ended[t] == 'F' {
				some, all = true, all && l.flakyUpTo(t, now)
			}
		}
		if some {
			return all
		}
	}
	return false
}

// sessions returns those that ran suspects of a file, ordered by when they last did.
func (l lore) sessions(file string, counts func(test string) bool) (order []string) {
	for _, r := range l.runs {
		for _, t := range l.of(file) {
			if e := r.ended[t]; (e == 'P' || e == 'F') && counts(t) {
				order = append(slices.DeleteFunc(order, func(s string) bool { return s == r.session }), r.session)
			}
		}
	}
	return order
}

// recurs reports whether a file recurs.
func (l lore) recurs(file string) bool {
	now := len(l.runs) - 1
	counts := func(t string) bool { return l.suspect(t, now) && l.exists(t) }
	order := l.sessions(file, counts)
	ends, failed := map[string]rune{}, 0
	for i, r := range l.runs {
		if !slices.ContainsFunc(l.of(file), func(t string) bool { e := r.ended[t]; return (e == 'P' || e == 'F') && counts(t) }) {
			continue
		}
		how := 'P'
		for _, t := range l.bad(file, i) {
			switch {
			case !counts(t):
			case l.last(t, r.session, i) == 'F':
				how = 'F'
			case how == 'P':
				how = '?'
			}
		}
		ends[r.session] = how
	}
	for _, e := range ends {
		if e == 'F' {
			failed++
		}
	}
	return failed >= 3 && slices.ContainsFunc(order[len(order)-3:], func(s string) bool { return ends[s] != 'P' })
}

// regressed reports whether it was passing and failed in the session that last ran it,
// or has been failing ever since such a session without recurring.
func (l lore) regressed(file string) bool {
	now := len(l.runs) - 1
	order := l.sessions(file, func(t string) bool { return l.suspect(t, now) })
	if len(order) == 0 || len(l.bad(file, now)) == 0 {
		return false
	}
	for i := len(order) - 1; i >= 0; i-- {
		last := 0 // when the session last ran a suspect, or showed that a bad one is gone
		for n, r := range l.runs {
			if r.session == order[i] && slices.ContainsFunc(l.of(file), func(t string) bool {
				e := r.ended[t]
				return l.suspect(t, now) && (e == 'P' || e == 'F' || n > 0 && l.goneAt(t, n) && l.last(t, "", n-1) == 'F')
			}) {
				last = n
			}
		}
		switch class, _ := l.fileBy(file, order[i], last, now); {
		case class == "regression", class == "flaky" && i < len(order)-1:
			return true
		case class != "failing" || l.recurs(file):
			return false
		}
	}
	return false
}

// unsteady reports whether one of its existing tests stands as flaky.
func (l lore) unsteady(file string) bool {
	return slices.ContainsFunc(l.of(file), func(t string) bool {
		class, _, _, flaky := l.test(t)
		return l.exists(t) && flaky && (class == "flaky" || class == "passed")
	})
}

// outstanding returns the tests that failed and have not passed since. One missing from
// a run of everything leaves the list, unless a test first seen after it was last red
// has reported nothing by then.
func (l lore) outstanding() (red []string) {
	last, first, proved := map[string]int{}, map[string]int{}, map[string]bool{}
	for i, r := range l.runs {
		for t, e := range r.ended {
			if _, seen := first[t]; !seen {
				first[t] = i
			}
			proved[t] = proved[t] || e != 'S'
			switch e {
			case 'F':
				last[t] = i
			case 'P':
				delete(last, t)
			}
		}
		for t, at := range last {
			if _, has := r.ended[t]; has || !r.whole {
				continue
			}
			waits := false
			for heir := range r.ended {
				waits = waits || first[heir] > at && !proved[heir]
			}
			if !waits {
				delete(last, t)
			}
		}
	}
	return slices.Sorted(maps.Keys(last))
}
