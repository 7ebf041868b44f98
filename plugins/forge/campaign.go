package forge

import (
	"fmt"

	"github.com/proctorhq/proctor/plugins/forge/internal/testjson"
)

// explainUntried reports whether forge passed a test without running any of it, as with
// fuzz.runs = 0, and why.
func explainUntried(t *testjson.Test) (why string, ok bool) {
	if t.Status != testjson.Success || t.Kind.Runs > 0 {
		return "", false
	}
	switch t.Kind.Name {
	case "Fuzz":
		// Documents of old versions lack the number of cases.
		return "no case was run: fuzz.runs is 0", t.Kind.Mean == "0"
	case "Invariant":
		return "no run was made: invariant.runs is 0", t.Kind.Calls == 0
	case "Table":
		return "no row was run", t.Kind.Mean == "0"
	}
	return "", false
}

// remarkOnCampaign returns what a reader should know about a campaign that passed.
func remarkOnCampaign(suite string, t *testjson.Test) string {
	k := t.Kind
	if t.Status != testjson.Success || k.Name != "Invariant" || k.Runs == 0 {
		return ""
	}
	switch {
	case k.Calls == 0:
		return fmt.Sprintf("%s %s was only checked in the state after setUp(): no call was made", suite, makeVisible(t.Name))
	case k.Reverts >= k.Calls:
		return fmt.Sprintf("%s %s was only checked in the state after setUp(): each of %d calls reverted", suite, makeVisible(t.Name), k.Calls)
	}
	return ""
}
