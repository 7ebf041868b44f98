package classify

import (
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

var Normalize = normalize

// Flaky returns the latest evidence among points, oldest first, that their test both
// passed and failed on one source state in one environment, or nil.
func Flaky(points []history.Point) *api.Flaky { return findFlaky(groupAttempts(points)) }
