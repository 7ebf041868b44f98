package ledger

import (
	"fmt"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// Endings are the words for the outcomes, in answers and in archives.
var Endings = [...]string{
	history.Passed: string(api.TestPassed), history.Failed: string(api.TestFailed),
	history.Skipped: string(api.TestSkipped), history.Unfinished: string(api.TestUnfinished),
	history.NeverStarted: string(api.TestNeverStarted),
}

// Ended is the word for an outcome. One that no version of proctor wrote is not
// taken for another.
func Ended(o history.Outcome) string {
	if int(o) < len(Endings) {
		return Endings[o]
	}
	return fmt.Sprintf("outcome %d", o)
}
