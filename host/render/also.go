package render

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// FoldAlso returns the further messages of a failure, with repetitions folded and
// counted: a check in a loop repeats its message many times.
func FoldAlso(f api.Failure) []sdk.Also {
	counts := map[sdk.Also]int{}
	var folded []sdk.Also
	for _, a := range f.Also {
		a.Column = 0 // a line is precise enough
		if counts[a]++; counts[a] == 1 {
			folded = append(folded, a)
		}
	}
	self := sdk.Also{Location: sdk.Location{File: f.File, Line: f.Line}, Message: f.Message}
	for i, a := range folded {
		switch n := counts[a]; {
		case a == self && n == 1:
			folded[i].Message = "the same again"
		case a == self:
			folded[i].Message = fmt.Sprintf("the same again, %d times", n)
		case n > 1:
			first, rest, more := strings.Cut(strings.TrimLeft(a.Message, "\n"), "\n")
			if folded[i].Message = fmt.Sprintf("%s (%d times)", first, n); len(first) > maxWidth {
				folded[i].Message = fmt.Sprintf("(%d times) %s", n, first) // its end may be cut
			}
			if more {
				folded[i].Message += "\n" + rest
			}
		}
	}
	return folded
}
