package classify

import "github.com/proctorhq/proctor/host/api"

// Causes groups failures that have one signature: two or more of each, in the
// order of their first. totals counts by signature all failures of the run, where
// these are only some of them; what it does not have is as many as there are here.
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
