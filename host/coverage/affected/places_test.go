package affected_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/coverage/affected"
)

const whereMoved = "looks at positions of code, and code moved in orders/a.go"

func TestATestThatLooksAtPlacesItselfIsChosenWhereCodeMoves(t *testing.T) {
	base := shop()
	base.unit("orders.TestTotal").caller = true
	now := base.clone()
	now.unit("orders.Where").above = 1
	want := []string{"orders.TestTotal: it executes orders.TestTotal, which " + whereMoved, "orders.TestWhere: it executes orders.Where, which " + whereMoved}
	if diff := cmp.Diff(want, listed(affected.Choose(input(base, now, base.measureAll())))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestCodeThatMovesWithinAUnitMoves(t *testing.T) {
	base := shop()
	measured := base.measureAll()
	text, _ := base.text("orders/a.go")
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a comment behind the code": {text + "// behind\n", []string{"orders: build"}},
		"a comment beside the code": {swapped(text), []string{"orders.TestWhere: it executes orders.Where, which " + whereMoved}},
		"without an outline":        {"", []string{"orders.TestWhere: it executes orders.Where, which " + whereMoved}},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(base, base, measured)
			in.Changes = []affected.Change{{Path: "orders/a.go"}}
			in.Digest = func(file string) string {
				if file == "orders/a.go" {
					return "another"
				}
				return base.digest(file)
			}
			in.Lines = func(string) ([]uint32, bool) { return coverage.HashLines([]byte(c.text)), c.text != "" }
			if diff := cmp.Diff(c.want, listed(affected.Choose(in))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// swapped exchanges the last two lines.
func swapped(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	slices.Reverse(lines[len(lines)-2:])
	return strings.Join(lines, "\n") + "\n"
}
