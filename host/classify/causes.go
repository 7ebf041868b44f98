package classify

import "github.com/proctorhq/proctor/host/record"

// Causes groups failures that have one signature: two or more of each, in the
// order of their first.
func Causes(failures []record.Failure) []record.Cause {
	var order []string
	ids := map[string][]string{}
	for _, f := range failures {
		signature := Signature(f)
		if ids[signature] == nil {
			order = append(order, signature)
		}
		ids[signature] = append(ids[signature], f.ID)
	}
	var causes []record.Cause
	for _, signature := range order {
		if group := ids[signature]; len(group) > 1 {
			causes = append(causes, record.Cause{Signature: signature, Total: len(group), Failures: group})
		}
	}
	return causes
}
