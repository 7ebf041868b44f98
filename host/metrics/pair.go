package metrics

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// group compares all kinds of one measure.
func (w *worker) group(t sdk.TestID, k key, before, now *entry) {
	was, is := kindsOf(before, k), kindsOf(now, k)
	var both []string
	for _, kind := range is {
		if slices.Contains(was, kind) {
			both = append(both, kind)
		}
	}
	switch {
	case len(was) == 0:
		w.skip(t, k, NotMeasuredBefore, "")
	case len(is) == 0:
		w.skip(t, k, NotMeasuredNow, "")
	case len(both) == 0:
		w.skip(t, k, OtherKind, strings.Join(was, ", ")+" → "+strings.Join(is, ", "))
	default:
		decide, beside := deciding(both)
		for _, kind := range decide {
			k.kind = kind
			w.pair(t, k, beside, before, now)
		}
	}
}

func kindsOf(e *entry, k key) []string {
	var kinds []string
	for other := range e.measures {
		if other.name == k.name && other.section == k.section {
			kinds = append(kinds, other.kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// deciding separates the kinds of a measure that decide from those that are only shown.
// A median decides alone: one outlier moves a mean.
func deciding(kinds []string) (decide, beside []string) {
	for _, kind := range kinds {
		if strings.HasSuffix(kind, "median") {
			decide = append(decide, kind)
		} else {
			beside = append(beside, kind)
		}
	}
	if len(decide) == 0 {
		return beside, nil
	}
	return decide, beside
}

// pair compares one measure of one kind.
func (w *worker) pair(t sdk.TestID, k key, beside []string, before, now *entry) {
	was, is := before.measures[k], now.measures[k]
	if reason, detail := differs(was, is); reason != "" {
		w.skip(t, k, reason, detail)
		return
	}
	from, fromOK := parse(was.Value)
	to, toOK := parse(is.Value)
	if !fromOK || !toOK {
		w.skip(t, k, NoNumber, "")
		return
	}
	w.Counts.Measures++
	w.sum(t.Suite, k.name, from, to)
	switch sign := to.Cmp(from); {
	case sign == 0:
		w.Counts.Equal++
		return
	case !exceeds(from, to, w.threshold):
		w.Counts.Within++
		return
	case sign > 0:
		w.Counts.Increased++
	default:
		w.Counts.Decreased++
	}
	change := Change{Suite: t.Suite, Test: t.Test, Name: k.name, Kind: k.kind, Section: k.section, Figures: figures(from, to)}
	for _, kind := range beside {
		other := key{k.name, k.section, kind}
		was, is := before.measures[other], now.measures[other]
		from, fromOK := parse(was.Value)
		to, toOK := parse(is.Value)
		if reason, _ := differs(was, is); reason == "" && fromOK && toOK {
			change.Beside = append(change.Beside, Beside{Kind: kind, Figures: figures(from, to)})
		}
	}
	w.Changes = append(w.Changes, change)
}
