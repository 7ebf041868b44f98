package parse

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
)

// rapidSaid matches what pgregory.net/rapid says about a property that does not hold.
var rapidSaid = lazyregexp.New(`^\[rapid\] (failed|panic) after \d+ tests: (.*)`)

// locateRapid finds the line that failed a property. What rapid says first has the place of
// its own call; after a panic a traceback follows, and then what the property printed.
func (x *examiner) locateRapid(s *suite, f *finding) {
	if !strings.HasPrefix(f.message, "[rapid] ") {
		return
	}
	m := rapidSaid.FindStringSubmatch(f.message)
	if m == nil {
		return
	}
	f.message = strings.TrimSuffix(f.message, "\nFailed test output:")
	var at sdk.Location
	if m[1] == "panic" {
		f.kind = sdk.KindPanic
		_, trace, _ := strings.Cut(f.message, "\nTraceback:\n")
		at = x.tree.placeIn(s, strings.Split(trace, "\n"))
	} else if i := slices.IndexFunc(f.also, func(a sdk.Also) bool { return a.Message == m[2] || strings.HasPrefix(a.Message, m[2]+"\n") }); i >= 0 {
		at = f.also[i].Location
		f.also = slices.Delete(f.also, i, i+1)
	}
	if at.File != "" {
		f.location, f.testFrame = at, f.location
	}
}
