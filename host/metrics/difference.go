package metrics

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// differs tells why two values cannot be compared although the test passed under
// equal conditions.
func differs(before, now value) (Reason, string) {
	switch {
	case before.ambiguous || now.ambiguous:
		return Ambiguous, ""
	case before.Seed != now.Seed:
		return OtherSeed, seeds(before.Seed, now.Seed)
	case max(before.Runs, 1) != max(now.Runs, 1):
		return OtherRuns, fmt.Sprintf("%d → %d", before.Runs, now.Runs)
	}
	return "", ""
}

// conditions are those in which two runs differ. One that only one of them names
// is such a one: it is not known to have been the same. An empty one says
// nothing.
func conditions(before, now map[string]string) []Condition {
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

// seeds tells in what two seeds differ. What both say, such as a number of threads,
// is left out.
func seeds(before, now string) string {
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

func arrow(before, now string) string { return word(before) + " → " + word(now) }

// word stands for a text that may be empty.
func word(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
