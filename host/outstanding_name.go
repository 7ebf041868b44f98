package host

import (
	"context"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/rerun"
)

// meantToDrop are the names of what is to be dropped as the list shows them: a name
// that is none of these stands for the one entry that it means otherwise.
func (m *memory) meantToDrop(ctx context.Context, languages, names []string) ([]string, error) {
	var entries []rerun.Entry
	var tests []record.Test
	for _, language := range languages {
		set, err := m.outstanding(ctx, language)
		if err != nil {
			return nil, err
		}
		for _, e := range set.Entries {
			entries, tests = append(entries, e), append(tests, e.Test)
		}
	}
	meant := make([]string, len(names))
	for i, name := range names {
		meant[i] = name
		exact := &dropping{names: []string{name}, found: map[string]bool{}}
		if exact.any(rerun.Set{Entries: entries}) {
			continue
		}
		switch at := meaning(tests, name); len(at) {
		case 0:
			if near := offered(nearest(tests, name)); near != "" {
				return nil, &UsageError{Reason: "not outstanding: " + report.Line(name), Fix: near}
			}
		case 1:
			meant[i] = report.QualifiedName(tests[at[0]].Suite, tests[at[0]].Test)
		default:
			var all []string
			for _, at := range at {
				all = append(all, report.QualifiedName(tests[at].Suite, tests[at].Test))
			}
			return nil, several("outstanding tests", name, all)
		}
	}
	return meant, nil
}
