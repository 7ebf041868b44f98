package forge

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/testjson"
)

const (
	// maxSequence bounds the calls of a counterexample that are shown.
	maxSequence = 100
	// maxAttribute bounds one attribute; the protocol allows no more.
	maxAttribute = 15 << 10
	// maxMetrics bounds the functions of a campaign that are shown.
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
			set("sequence", formatSequence(t.Counterexample))
		case len(t.Counterexample) > 0:
			set("counterexample", formatCall(t.Counterexample[0]))
		case own != nil:
			set("sequence", formatSequence(own.Calls))
		case len(others) > 0:
			set("sequence", formatSequence(others[0].Calls))
		}
	}
	switch k := t.Kind; k.Name {
	case "Unit":
		if t.Status == testjson.Failure && k.Gas != "0" { // it is no measure: it ended early
			set("gas", k.Gas)
		}
	case "Fuzz":
		if k.Runs > 0 || t.Status != testjson.Failure {
			set("fuzz_runs", strconv.FormatInt(k.Runs, 10)) // for a failure, 0: its first input failed
		}
		set("seed", p.seed)
	case "Invariant":
		set("invariant", summarizeCampaign(k))
		set("seed", p.seed)
	}
	return all
}

// resultAttributes returns the attributes of the result.
func (p *parser) resultAttributes(t *testjson.Test, shared map[string]string) map[string]string {
	all := maps.Clone(shared)
	if t.Status == testjson.Skipped && t.Reason != "" {
		all["reason"] = clip(makeVisible(t.Reason), maxAttribute)
	}
	if logs := t.Logs.String(); logs != "" {
		all["logs"] = clip(makeVisible(logs), maxAttribute)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// formatCall formats a call as "args=[1, 2] calldata=0x...".
func formatCall(c testjson.Call) string {
	return fmt.Sprintf("args=[%s] calldata=%s", makeVisible(c.Args), makeVisible(c.Calldata))
}

// formatSequence formats one call a line.
func formatSequence(calls []testjson.Call) string {
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
		b.WriteString(strings.ReplaceAll(makeVisible(line), "\n", `\n`) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// summarizeCampaign sums up an invariant campaign, followed by one function a line.
func summarizeCampaign(k testjson.Kind) string {
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
		fmt.Fprintf(&b, "\n%s calls=%d reverts=%d discards=%d", makeVisible(m.Function), m.Calls, m.Reverts, m.Discards)
	}
	return b.String()
}
