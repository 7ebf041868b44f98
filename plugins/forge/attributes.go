package forge

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/testjson"
)

const (
	// maxSequence is how many calls of a counterexample are shown.
	maxSequence = 100
	// maxAttribute bounds one attribute; the protocol allows no more.
	maxAttribute = 15 << 10
	// maxMetrics is how many functions of a campaign are shown.
	maxMetrics = 40
)

// attributes returns what both the result and the failure of a test have.
func (p *parser) attributes(t *testjson.Test) map[string]string {
	all := map[string]string{}
	set := func(name, value string) {
		if value != "" {
			all[name] = clip(value, maxAttribute)
		}
	}
	if t.Status == testjson.Failure { // a skipped test may have a meaningless counterexample
		switch own, others := brokenInvariants(t); {
		case t.Sequence:
			set("sequence", sequence(t.Counterexample))
		case len(t.Counterexample) > 0:
			set("counterexample", counterexample(t.Counterexample[0]))
		case own != nil:
			set("sequence", sequence(own.Calls))
		case len(others) > 0:
			set("sequence", sequence(others[0].Calls))
		}
	}
	switch k := t.Kind; k.Name {
	case "Fuzz":
		if k.Runs > 0 || t.Status != testjson.Failure {
			set("fuzz_runs", strconv.FormatInt(k.Runs, 10)) // for a failure, 0: its first input failed
		}
		set("seed", p.seed)
	case "Invariant":
		set("invariant", campaign(k))
		set("seed", p.seed)
	}
	return all
}

// resultAttributes returns the attributes of the result.
func (p *parser) resultAttributes(t *testjson.Test, shared map[string]string) map[string]string {
	all := maps.Clone(shared)
	if t.Status == testjson.Skipped && t.Reason != "" {
		all["reason"] = clip(visible(t.Reason), maxAttribute)
	}
	if logs := t.Logs.String(); logs != "" {
		all["logs"] = clip(visible(logs), maxAttribute)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// counterexample formats a call as "args=[1, 2] calldata=0x...".
func counterexample(c testjson.Call) string {
	return fmt.Sprintf("args=[%s] calldata=%s", visible(c.Args), visible(c.Calldata))
}

// sequence formats one call a line.
func sequence(calls []testjson.Call) string {
	var b strings.Builder
	for i, c := range calls {
		if i == maxSequence {
			fmt.Fprintf(&b, "... and %d more calls\n", len(calls)-i)
			break
		}
		target := c.Address
		if c.Contract != "" {
			target = fmt.Sprintf("[%s]%s", c.Contract, c.Address)
		}
		function := c.Signature
		if function == "" {
			function = c.Function
		}
		if function == "" {
			function = c.Calldata
		}
		line := fmt.Sprintf("sender=%s addr=%s calldata=%s args=[%s]", c.Sender, target, function, c.Args)
		for _, extra := range []struct{ name, value string }{{"value", c.Value}, {"warp", c.Warp}, {"roll", c.Roll}} {
			if extra.value != "" {
				line += " " + extra.name + "=" + extra.value
			}
		}
		b.WriteString(strings.ReplaceAll(visible(line), "\n", `\n`) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// campaign sums up an invariant campaign, followed by one function a line.
func campaign(k testjson.Kind) string {
	var b strings.Builder
	fmt.Fprintf(&b, "runs=%d calls=%d reverts=%d", k.Runs, k.Calls, k.Reverts)
	if k.BestValue != "" {
		fmt.Fprintf(&b, " best=%s", k.BestValue)
	}
	for i, m := range k.Metrics {
		if i == maxMetrics {
			fmt.Fprintf(&b, "\n... and %d more functions", len(k.Metrics)-i)
			break
		}
		fmt.Fprintf(&b, "\n%s calls=%d reverts=%d discards=%d", visible(m.Function), m.Calls, m.Reverts, m.Discards)
	}
	return b.String()
}
