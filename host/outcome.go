package host

import (
	"fmt"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// endings are the words for the outcomes, in answers and in archives.
var endings = [...]string{
	history.Passed: string(record.TestPassed), history.Failed: string(record.TestFailed),
	history.Skipped: string(record.TestSkipped), history.Unfinished: string(record.TestUnfinished),
	history.NeverStarted: string(record.TestNeverStarted),
}

// ended is the word for an outcome. One that no version of proctor wrote is not
// taken for another.
func ended(o history.Outcome) string {
	if int(o) < len(endings) {
		return endings[o]
	}
	return fmt.Sprintf("outcome %d", o)
}
