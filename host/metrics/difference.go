package metrics

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// whyDifferent returns why two values cannot be compared although the test passed under
// equal conditions.
func whyDifferent(before, now value) (Reason, string) {
	switch {
	case before.ambiguous || now.ambiguous:
		return Ambiguous, ""
	case before.Seed != now.Seed:
		return OtherSeed, describeSeeds(before.Seed, now.Seed)
	case max(before.Runs, 1) != max(now.Runs, 1):
		return OtherRuns, fmt.Sprintf("%d → %d", before.Runs, now.Runs)
	}
	return "", ""
}

// compareConditions returns those that differ between two runs. A condition that only one run
// names differs: nothing shows that it was the same. An empty value says nothing.
func compareConditions(before, now map[string]string) []Condition {
	names := maps.Clone(before)
	if names == nil {
		names = map[string]string{}
	}
	maps.Copy(names, now)
	var differ []Condition
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if was, is := before[name], now[name]; was != is {
			differ = append(differ, Condition{Name: name, Before: was, After: is})
		}
	}
	return differ
}

// describeSeeds says how two seeds differ, without what they share, such as a number of
// threads.
func describeSeeds(before, now string) string {
	was, is := strings.Split(before, ", "), strings.Split(now, ", ")
	if len(was) != len(is) {
		return arrow(before, now)
	}
	var from, to []string
	for i := range was {
		if was[i] != is[i] {
			from, to = append(from, was[i]), append(to, is[i])
		}
	}
	return arrow(strings.Join(from, ", "), strings.Join(to, ", "))
}

func arrow(before, now string) string { return cmp.Or(before, "none") + " → " + cmp.Or(now, "none") }
