package classify_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
)

// The oracle states the definitions differently: a table of moves replayed run by run,
// sets of sessions, and points compared pairwise.

// worst returns what a run says about a test: P, F or - for nothing.
func worst(results string) rune {
	switch {
	case strings.ContainsAny(results, "FU"):
		return 'F'
	case strings.Contains(results, "P"):
		return 'P'
	}
	return '-'
}

// words are the classifications as patterns. A word is what the test last did in
// another session before its last result in the session (0 means nothing, - that it was
// only known), and what it did in the session up to that.
var words = map[api.Classification]*regexp.Regexp{
	api.Gap:        regexp.MustCompile(`^0>P+$|^[-0]>F+$`),
	api.Steady:     regexp.MustCompile(`^[-P]>P+$`),
	api.Fixed:      regexp.MustCompile(`^F>P+$|>.*F.*P$`),
	api.Regression: regexp.MustCompile(`^P>.*F$|^[-0]>.*P.*F$`),
	api.Failing:    regexp.MustCompile(`^F>.*F$`),
}

// classOf returns the one matching classification.
func classOf(other rune, own string) api.Classification {
	var found api.Classification
	word := string(other) + ">" + own
	for class, pattern := range words {
		switch {
		case pattern.MatchString(word) && found != "":
			panic(word + " is both " + string(found) + " and " + string(class))
		case pattern.MatchString(word):
			found = class
		}
	}
	return found
}

// oracleRun is what a run did to a test.
type oracleRun struct {
	history.Point
	letter rune
	cause  string
}

func letterOf(o history.Outcome) string { return string("PFSUN"[o]) }

func oracleRuns(line history.Timeline) []oracleRun {
	var list []oracleRun
	for _, p := range line.Points {
		if p.RunKind == api.KindTriage {
			continue
		}
		if len(list) == 0 || list[len(list)-1].RunID != p.RunID {
			list = append(list, oracleRun{Point: p, letter: '-'})
		}
		r := &list[len(list)-1]
		r.letter = worst(string(r.letter) + letterOf(p.Outcome))
		if p.Outcome.Bad() {
			r.cause = p.Signature
		}
	}
	return list
}

func oracleOf(line history.Timeline, session string, deferred bool) api.Standing {
	list := oracleRuns(line)
	for len(list) > 0 && slices.ContainsFunc(list, func(r oracleRun) bool { return r.SessionID == session }) && list[len(list)-1].SessionID != session {
		list = list[:len(list)-1]
	}

	var s api.Standing
	lastOf, when := map[string]rune{}, map[string]int{}
	var streak, likely []oracleRun
	for i, r := range list {
		if r.letter == '-' {
			continue
		}
		lastOf[r.SessionID], when[r.SessionID] = r.letter, i
		s.FailedRuns++
		if r.letter == 'P' {
			s.FailedRuns = 0
		}
		switch {
		case r.letter == 'P' || r.cause == "":
			streak = nil
		case len(streak) > 0 && streak[0].cause != r.cause:
			streak = []oracleRun{r}
		default:
			streak = append(streak, r)
		}
		switch {
		case r.letter == 'P' || r.cause == "":
			likely = nil
		case len(likely) > 0 && likely[0].cause[0] != r.cause[0]:
			likely = []oracleRun{r}
		default:
			likely = append(likely, r)
		}
		if i < len(list)-1 && r.letter == 'P' {
			s.LastPassed = &api.LastPassed{RunID: r.RunID, At: r.At, Fingerprint: r.Fingerprint}
		}
	}
	known := line.FirstSession != session
	kept, otherwise := comparable(list, session)
	s.Otherwise = otherwise
	if other, own := meetings(kept, session, known); own != "" {
		s.Classification = classOf(other, own)
		s.Resolution = resolutionOf(lastOf[session], s.Classification, deferred)
	}
	s.FailedSessions, s.Recurring = recurrence(lastOf, when)
	s.SameFailure = streakOf(streak)
	if len(likely) > len(streak) {
		s.SimilarFailure = streakOf(likely)
		s.SimilarFailure.Signature = ""
	}
	s.Flaky = lastingPair(list)
	switch {
	case s.Flaky != nil && (s.Classification == api.Regression || s.Classification == api.Failing && passesThere(list)):
		s.Classification = api.Unsteady
	case s.Flaky != nil && s.Classification == api.Fixed:
		s.Classification, s.Resolution = api.Unsteady, api.StatusPassed
	}
	return s
}

// meetings returns the word of a session: what the others last did before its last
// result, and its results.
func meetings(list []oracleRun, session string, known bool) (other rune, own string) {
	end := len(list) - 1
	for end >= 0 && (list[end].SessionID != session || list[end].letter == '-') {
		end--
	}
	other = '0'
	if known {
		other = '-'
	}
	for i := end; i >= 0; i-- {
		r := list[i]
		switch {
		case r.SessionID == session && r.letter != '-':
			own = string(r.letter) + own
		case r.SessionID != session && r.letter != '-' && strings.ContainsRune("-0", other):
			other = r.letter
		case r.SessionID != session && other == '0':
			other = '-'
		}
	}
	return other, own
}

func resolutionOf(letter rune, class api.Classification, deferred bool) api.EntryStatus {
	if letter == 'P' {
		return map[bool]api.EntryStatus{true: api.StatusFixed, false: api.StatusPassed}[class == api.Fixed]
	}
	return map[bool]api.EntryStatus{true: api.StatusDeferred, false: api.StatusUnresolved}[deferred]
}

// recurrence follows from how each session ended, and when it last ran the test.
func recurrence(lastOf map[string]rune, when map[string]int) (failed int, recurring bool) {
	failed, passes := ending(lastOf, when)
	return failed, failed >= 3 && passes < 3
}

// ending counts the sessions that ended badly, and the latest consecutive ones that
// ended with a pass.
func ending(lastOf map[string]rune, when map[string]int) (failed, passes int) {
	var order []string
	for session, letter := range lastOf {
		if letter == 'F' {
			failed++
		}
		order = append(order, session)
	}
	slices.SortFunc(order, func(a, b string) int { return when[b] - when[a] })
	for passes < len(order) && lastOf[order[passes]] == 'P' {
		passes++
	}
	return failed, passes
}

func streakOf(streak []oracleRun) *api.SameFailure {
	if len(streak) < 2 {
		return nil
	}
	same := &api.SameFailure{Signature: streak[0].cause, Run: len(streak), Since: streak[0].At, SinceID: streak[0].RunID}
	for i := range streak[1:] {
		from, to := streak[i].Fingerprint, streak[i+1].Fingerprint
		switch {
		case same.Edits < 0:
		case from == "" || to == "" || from != to && distance(from, to) < 0:
			same.Edits = -1
		case from != to:
			same.Edits += distance(from, to)
		}
	}
	return same
}

// pairOf compares every run with every other, newest first.
func pairOf(list []oracleRun) *api.Flaky {
	for j := len(list) - 1; j >= 0; j-- {
		for i := j - 1; i >= 0; i-- {
			a, b := list[i], list[j]
			if !a.usable() || !b.usable() || a.Fingerprint != b.Fingerprint || a.Environment != b.Environment {
				continue
			}
			switch a.letter + b.letter {
			case 'P' + 'F':
				if a.letter != 'P' {
					a, b = b, a
				}
				return &api.Flaky{Fingerprint: a.Fingerprint, PassedRun: a.RunID, FailedRun: b.RunID}
			}
		}
	}
	return nil
}

// lastingPair is pairOf, unless the last three sessions that ran the test ended with a
// pass, all after the pair.
func lastingPair(list []oracleRun) *api.Flaky {
	pair := pairOf(list)
	if pair == nil {
		return nil
	}
	lastOf, when := map[string]rune{}, map[string]int{}
	for i, r := range list {
		switch {
		case r.RunID == pair.PassedRun || r.RunID == pair.FailedRun:
			clear(lastOf)
		case r.letter != '-':
			lastOf[r.SessionID], when[r.SessionID] = r.letter, i
		}
	}
	if _, passes := ending(lastOf, when); passes >= 3 {
		return nil
	}
	return pair
}

// passesThere reports whether it ever passed under the circumstances of its last
// failure.
func passesThere(list []oracleRun) bool {
	for _, was := range slices.Backward(list) {
		if was.letter == 'F' {
			return was.usable() && slices.ContainsFunc(list, func(r oracleRun) bool {
				return r.usable() && r.letter == 'P' && r.Fingerprint == was.Fingerprint && r.Environment == was.Environment
			})
		}
	}
	return false
}

// usable reports whether its circumstances are known.
func (r oracleRun) usable() bool {
	return r.RunKind != api.KindTriage && !r.MixedState && r.Fingerprint != "" && r.Environment != "" && r.RunKind != api.KindIngest
}

// comparable drops runs of other settings that the latest run's setting contradicts on
// the same sources; the fixtures' environment is the setting.
func comparable(list []oracleRun, session string) (kept []oracleRun, otherwise *api.Otherwise) {
	var latest *oracleRun
	for i, r := range list {
		if r.SessionID == session && r.letter != '-' {
			latest = &list[i]
		}
	}
	if latest == nil {
		return list, nil
	}
	for i, r := range list {
		letters := ""
		for _, other := range list {
			if other.usable() && other.letter != '-' && other.Fingerprint == r.Fingerprint && other.Environment == latest.Environment {
				letters += string(other.letter)
			}
		}
		unlike := strings.Trim(letters, "P") == "" && r.letter == 'F' || strings.Trim(letters, "F") == "" && r.letter == 'P'
		if letters == "" || !unlike || !r.usable() || r.Environment == latest.Environment {
			kept = append(kept, r)
			continue
		}
		takenBack := slices.ContainsFunc(list[i+1:], func(later oracleRun) bool {
			return later.Environment == r.Environment && later.letter == latest.letter
		})
		if r.letter != latest.letter && !takenBack {
			otherwise = &api.Otherwise{RunID: r.RunID, At: r.At, Failed: r.letter == 'F'}
		}
	}
	return kept, otherwise
}

// fileOracle recomputes, for every moment, what is then known of each test.
func fileOracle(s classify.FileSubject) api.Standing {
	lines := make([][]oracleRun, len(s.Suspects))
	for i, l := range s.Suspects {
		lines[i] = oracleRuns(l)
	}
	// ended reports whether a complete run of its setting within the time lacks a test
	// that existed.
	ended := func(list []oracleRun, from, to int64) bool {
		return slices.ContainsFunc(s.Complete, func(c classify.CompleteRun) bool {
			last := -1
			for i, r := range list {
				if r.Order <= c.Order {
					last = i
				}
			}
			return last >= 0 && c.Order > from && c.Order <= to && list[last].Order < c.Order && list[last].Setting() == c.Setting
		})
	}
	// letter returns what a test last showed up to a time, in one session or any; '-'
	// is nothing.
	letter := func(list []oracleRun, to int64, session string) rune {
		for _, r := range slices.Backward(list) {
			if r.Order <= to && r.letter != '-' && (session == "" || r.SessionID == session) {
				if ended(list, r.Order, to) {
					return '-'
				}
				return r.letter
			}
		}
		return '-'
	}
	const end = int64(1 << 40)
	exists := func(list []oracleRun) bool { return len(list) == 0 || !ended(list, list[len(list)-1].Order, end) }
	moments := map[int64]string{}
	for _, list := range lines {
		for _, r := range list {
			moments[r.Order] = r.SessionID
		}
	}
	for _, c := range s.Complete {
		moments[c.Order] = c.SessionID
	}
	old := s.Count.Passed + s.Count.Bad + s.Count.Skipped - s.Count.New
	for i, list := range lines {
		if last := s.Suspects[i]; len(list) > 0 && list[len(list)-1].Order == s.Order && last.FirstSession != s.SessionID {
			old--
		}
	}
	known := s.Known || old > 0
	fileIs := func(now int64) rune {
		for _, list := range lines {
			if letter(list, now, "") == 'F' {
				return 'F'
			}
		}
		return 'P'
	}
	other, own := '0', ""
	var others rune
	tell := func(letter rune) {
		own += string(letter)
		switch {
		case others != 0:
			other = others
		case known:
			other = 'P'
		default:
			other = '0'
		}
	}
	lastOf, when := map[string]rune{}, map[string]int{}
	last := int64(0)
	for i, now := range slices.Sorted(maps.Keys(moments)) {
		session, told, counts := moments[now], false, false
		for _, list := range lines {
			for _, r := range list {
				if r.Order == now {
					told = told || r.letter != '-'
					counts = counts || r.letter != '-' && exists(list)
				}
			}
			told = told || letter(list, now-1, "") == 'F' && letter(list, now, "") == '-'
		}
		switch {
		case told && session == s.SessionID:
			tell(fileIs(now))
			last = now
		case told:
			others = fileIs(now)
		}
		if counts {
			lastOf[session], when[session] = 'P', i
			for _, list := range lines {
				switch {
				case !exists(list) || letter(list, now, "") != 'F':
				case letter(list, now, session) == 'F':
					lastOf[session] = 'F'
				case lastOf[session] == 'P':
					lastOf[session] = '?'
				}
			}
		}
	}
	if s.Count.Passed+s.Count.Bad > 0 {
		last = end
		is := fileIs(end)
		if s.Count.Bad > 0 && is == 'P' {
			is, lastOf[s.SessionID], when[s.SessionID] = 'F', 'F', len(moments)
		}
		tell(is)
	}
	var answer api.Standing
	answer.FailedSessions, answer.Recurring = recurrence(lastOf, when)
	if own == "" || s.Order > last {
		return answer
	}
	answer.Classification = classOf(other, own)
	aside, bad, unsteady := true, 0, true
	for i, list := range lines {
		if letter(list, last, "") == 'F' {
			key := history.TestKey{Language: "x", TestID: s.Suspects[i].TestKey.TestID}
			bad, aside = bad+1, aside && s.Deferred(key)
			pair := lastingPair(upTo(list, last))
			here := answer.Classification != api.Failing || passesThere(upTo(list, last))
			if unsteady = unsteady && pair != nil && here; unsteady {
				answer.Flaky = pair
			}
		}
	}
	if bad == 0 || !unsteady {
		answer.Flaky = nil
	}
	answer.Resolution = resolutionOf(rune(own[len(own)-1]), answer.Classification, aside && bad > 0 && s.Count.Bad <= bad)
	if (answer.Classification == api.Regression || answer.Classification == api.Failing) && answer.Flaky != nil {
		answer.Classification = api.Unsteady
	}
	if answer.Classification == api.Fixed && byItself(lines, last) {
		answer.Classification, answer.Resolution = api.Unsteady, api.StatusPassed
	}
	return answer
}

func upTo(list []oracleRun, last int64) []oracleRun {
	return slices.DeleteFunc(slices.Clone(list), func(r oracleRun) bool { return r.Order > last })
}

// byItself reports whether what was last bad is flaky.
func byItself(lines [][]oracleRun, last int64) bool {
	newest := int64(0)
	for _, list := range lines {
		for _, r := range upTo(list, last) {
			if r.letter == 'F' {
				newest = max(newest, r.Order)
			}
		}
	}
	return newest > 0 && !slices.ContainsFunc(lines, func(list []oracleRun) bool {
		at := slices.IndexFunc(list, func(r oracleRun) bool { return r.Order == newest && r.letter == 'F' })
		return at >= 0 && lastingPair(upTo(list, last)) == nil
	})
}

// told formats a timeline for a reader.
func told(line history.Timeline) string {
	var words []string
	for _, p := range line.Points {
		words = append(words, fmt.Sprintf("%s:%s:%s(state %s, cause %q, env %s, mixed %t, %s)", p.RunID, p.SessionID, letterOf(p.Outcome), p.Fingerprint, p.Signature, p.Environment, p.MixedState, p.RunKind))
	}
	return line.Test.Test + " " + strings.Join(words, " ")
}
