package completion

import (
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// names collects names that fit what was typed: first those that begin with it, then
// those that contain it, each in the order in which they were added.
type names struct {
	typed            string // in lower case
	begins, contains []string
	seen             map[string]bool
}

// add adds a name if it fits and is new.
func (n *names) add(name string) {
	plain := prose.Line(name)
	if plain == "" || len(plain) > maxValueBytes || n.seen[plain] {
		return
	}
	at := strings.Index(strings.ToLower(plain), n.typed)
	switch {
	case at < 0:
		return
	case at == 0:
		n.begins = append(n.begins, plain)
	default:
		n.contains = append(n.contains, plain)
	}
	if n.seen == nil {
		n.seen = map[string]bool{}
	}
	n.seen[plain] = true
}

// addTests adds tests. Each is offered by its name if that is its alone and was not begun
// with its suite, which clients that filter by what was typed would not show.
func (n *names) addTests(tests []sdk.TestID) {
	alike := map[string]int{}
	tests = slices.Compact(tests) // a run may have several results of one
	for _, t := range tests {
		alike[t.Test]++
	}
	for _, t := range tests {
		switch {
		case t.Test == "": // it is a suite
		case alike[t.Test] == 1 && strings.Contains(strings.ToLower(t.Test), n.typed):
			n.add(t.Test)
		default:
			n.add(prose.QualifiedName(t.Suite, t.Test))
		}
	}
}

// result returns the answer of the protocol.
func (n names) result() *mcp.CompleteResult {
	all := slices.Concat(n.begins, n.contains)
	r := &mcp.CompleteResult{}
	r.Completion.Total = len(all)
	r.Completion.HasMore = len(all) > maxValues
	r.Completion.Values = append([]string{}, all[:min(len(all), maxValues)]...)
	return r
}
