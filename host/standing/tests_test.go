package standing

import (
	"slices"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// Recorded output belongs where it was made; our own runs keep their order whatever the
// clock said.
func TestForeignPointsArePlacedByTimeAndOurOwnByOrder(t *testing.T) {
	at := func(minutes int) time.Time { return time.Unix(int64(60*minutes), 0) }
	points := []history.Point{
		{RunID: "a", At: at(10)}, {RunID: "b", At: at(5)}, {RunID: "c", At: at(20)},
		{RunID: "ci", At: at(15), RunKind: api.KindIngest}, {RunID: "new", At: at(30), SessionID: history.ImportedSession + "x"},
	}
	var order []string
	for _, p := range placeForeign(points) {
		order = append(order, p.RunID)
	}
	if want := []string{"a", "b", "ci", "c", "new"}; !slices.Equal(order, want) {
		t.Errorf("%q, want %q", order, want)
	}
}
