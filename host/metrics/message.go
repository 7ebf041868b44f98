package metrics

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/api"
)

// nothing starts the message of a comparison that could not be made.
const nothing = "nothing could be compared: "

// IsEmpty reports whether nothing was compared. Such a comparison proves nothing.
func (c Comparison) IsEmpty() bool { return c.Counts.Measures == 0 }

// composeMessage states the outcome in words.
func (c Comparison) composeMessage() string {
	n := c.Counts
	switch {
	case c.IsEmpty():
		return nothing + c.explainEmpty()
	case n.Increased+n.Decreased > 0:
		return fmt.Sprintf("%s increased, %d decreased%s: %s", api.Plural(n.Increased, "measure"), n.Decreased, c.describeThreshold(), c.describeScope())
	}
	return fmt.Sprintf("no difference%s: %s", c.describeThreshold(), c.describeScope())
}

// describeThreshold names the threshold.
func (c Comparison) describeThreshold() string {
	if c.ThresholdPercent <= 0 {
		return ""
	}
	return " by more than " + strconv.FormatFloat(c.ThresholdPercent, 'f', -1, 64) + "%"
}

// describeScope says what the message covers and what it leaves out.
func (c Comparison) describeScope() string {
	parts := []string{api.Plural(c.Counts.Tests, "test") + " compared"}
	if n := c.Counts.Within; n > 0 {
		parts = append(parts, api.Plural(n, "measure")+" changed by less")
	}
	if text := c.countIncomparable(); text != "" {
		parts = append(parts, text+" not comparable")
	}
	if n := c.Counts.NotRun; n > 0 {
		parts = append(parts, api.Plural(n, "test")+" not run now")
	}
	return strings.Join(parts, ", ")
}

// countIncomparable counts what was not compared: whole tests, and single measures of
// others.
func (c Comparison) countIncomparable() string {
	var parts []string
	tests, measures := 0, 0
	for _, i := range c.Incomparable {
		if i.Name == "" {
			tests++
		} else {
			measures++
		}
	}
	if tests > 0 {
		parts = append(parts, api.Plural(tests, "test"))
	}
	if measures > 0 {
		parts = append(parts, api.Plural(measures, "measure"))
	}
	return strings.Join(parts, " and ")
}

// explainEmpty says why the runs were not compared, and what to do about it.
func (c Comparison) explainEmpty() string {
	switch {
	case len(c.Conditions) > 0 && c.hasReason(OtherConditions):
		return fmt.Sprintf("the runs had different conditions (%s); run the tests again under equal ones, or compare with a run that had them", Differences(c.Conditions))
	case c.hasReason(OtherSeed):
		way := "run the same tests again with an equal seed"
		if c.Before.Seed != "" && c.Before.Seed != c.Now.Seed {
			way = fmt.Sprintf("run the tests with seed %s", c.Before.Seed)
		}
		return fmt.Sprintf("run %s had a different seed than run %s; %s to compare them", c.Now.RunID, c.Before.RunID, way)
	case c.Now.Tests == 0:
		return fmt.Sprintf("no test with a measure passed in run %s; make a run in which some pass", c.Now.RunID)
	case c.Before.Tests == 0:
		return fmt.Sprintf("no test with a measure passed in run %s; compare with a run in which some did", c.Before.RunID)
	}
	return fmt.Sprintf("no test with the same measure passed in both run %s and run %s; compare with a run of the same tests", c.Before.RunID, c.Now.RunID)
}

func (c Comparison) hasReason(reason Reason) bool {
	return slices.ContainsFunc(c.Incomparable, func(i Incomparable) bool { return i.Reason == reason })
}

// Differences names the conditions that differ between two runs.
func Differences(conditions []Condition) string {
	var parts []string
	for _, d := range conditions {
		parts = append(parts, d.Name+" "+arrow(d.Before, d.After))
	}
	return strings.Join(parts, ", ")
}

// Words spells a reason for a reader.
func (r Reason) Words() string { return strings.ReplaceAll(string(r), "_", " ") }
