package metrics

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// compareKinds compares all kinds of one measure.
func (c *comparer) compareKinds(t sdk.TestID, k key, before, now *entry) {
	was, is := listKinds(before, k), listKinds(now, k)
	var both []string
	for _, kind := range is {
		if slices.Contains(was, kind) {
			both = append(both, kind)
		}
	}
	switch {
	case len(was) == 0:
		c.skip(t, k, NotMeasuredBefore, "")
	case len(is) == 0:
		c.skip(t, k, NotMeasuredNow, "")
	case len(both) == 0:
		c.skip(t, k, OtherKind, strings.Join(was, ", ")+" → "+strings.Join(is, ", "))
	default:
		decide, beside := chooseDeciding(both)
		for _, kind := range decide {
			k.kind = kind
			c.compareValues(t, k, beside, before, now)
		}
	}
}

func listKinds(e *entry, k key) []string {
	var kinds []string
	for other := range e.measures {
		if other.name == k.name && other.section == k.section {
			kinds = append(kinds, other.kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// chooseDeciding separates the kinds of a measure that decide from those that are only shown.
// A median decides alone: one outlier moves a mean.
func chooseDeciding(kinds []string) (decide, beside []string) {
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

// compareValues compares one measure of one kind.
func (c *comparer) compareValues(t sdk.TestID, k key, beside []string, before, now *entry) {
	was, is := before.measures[k], now.measures[k]
	if reason, detail := whyDifferent(was, is); reason != "" {
		c.skip(t, k, reason, detail)
		return
	}
	from, fromOK := parseNumber(was.Value)
	to, toOK := parseNumber(is.Value)
	if !fromOK || !toOK {
		c.skip(t, k, NoNumber, "")
		return
	}
	c.Counts.Measures++
	c.addToSums(t.Suite, k.name, from, to)
	switch sign := to.Cmp(from); {
	case sign == 0:
		c.Counts.Equal++
		return
	case !exceeds(from, to, c.threshold):
		c.Counts.Within++
		return
	case sign > 0:
		c.Counts.Increased++
	default:
		c.Counts.Decreased++
	}
	change := Change{Suite: t.Suite, Test: t.Test, Name: k.name, Kind: k.kind, Section: k.section, Figures: newFigures(from, to)}
	for _, kind := range beside {
		other := key{k.name, k.section, kind}
		was, is := before.measures[other], now.measures[other]
		from, fromOK := parseNumber(was.Value)
		to, toOK := parseNumber(is.Value)
		if reason, _ := whyDifferent(was, is); reason == "" && fromOK && toOK {
			change.Beside = append(change.Beside, Beside{Kind: kind, Figures: newFigures(from, to)})
		}
	}
	c.Changes = append(c.Changes, change)
}
