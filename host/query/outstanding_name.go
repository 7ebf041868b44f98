package query

import (
	"context"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/prose"
)

// findMeant are the names of what is to be dropped as the list shows them: a name
// that is none of these stands for the one entry that it means otherwise.
func findMeant(ctx context.Context, m *ledger.Ledger, languages, names []string) ([]string, error) {
	var entries []outstanding.Entry
	var tests []api.Test
	for _, language := range languages {
		set, err := m.Outstanding(ctx, language)
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
		if exact.any(outstanding.Set{Entries: entries}) {
			continue
		}
		switch at := api.Meaning(tests, name); len(at) {
		case 0:
			if near := api.Offered(api.Nearest(tests, name)); near != "" {
				return nil, &api.UsageError{Reason: "not outstanding: " + prose.Line(name), Fix: near}
			}
		case 1:
			meant[i] = prose.QualifiedName(tests[at[0]].Suite, tests[at[0]].Test)
		default:
			var all []string
			for _, at := range at {
				all = append(all, prose.QualifiedName(tests[at].Suite, tests[at].Test))
			}
			return nil, several("outstanding tests", name, all)
		}
	}
	return meant, nil
}
