package classify

import "github.com/proctorhq/proctor/host/api"

// Causes groups failures with the same signature, two or more each, in order of first
// appearance. totals counts all failures of the run by signature if failures is only a
// part; signatures missing from it occur as often as in failures.
func Causes(failures []api.Failure, totals map[string]int) []api.Cause {
	var order []string
	ids := map[string][]string{}
	for _, f := range failures {
		signature := Signature(f)
		if ids[signature] == nil {
			order = append(order, signature)
		}
		ids[signature] = append(ids[signature], f.ID)
	}
	var causes []api.Cause
	for _, signature := range order {
		group := ids[signature]
		if total := max(len(group), totals[signature]); total > 1 {
			causes = append(causes, api.Cause{Signature: signature, Total: total, Failures: group})
		}
	}
	return causes
}
