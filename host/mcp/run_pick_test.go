package mcp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

func failed(test, kind string, line int) api.Failure {
	return api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "p", Test: test}, Kind: kind, Location: sdk.Location{File: "p_test.go", Line: line}}}
}

func TestThePanicIsShownBeforeTheCasesOfATable(t *testing.T) {
	var failures []api.Failure
	for i := range 30 {
		failures = append(failures, failed(fmt.Sprintf("TestTable/%02d", i), "assertion", 7))
	}
	failures = append(failures, failed("TestOther", "assertion", 20), failed("TestCrash", "panic", 40), failed("", "build", 0))
	p := pickFailures(failures, 500, shownFailures)
	var shown []string
	for _, f := range p.shown {
		shown = append(shown, f.Test)
	}
	if got := strings.Join(shown, " "); !strings.HasPrefix(got, " TestCrash TestTable/00 TestTable/01 TestOther TestTable/02") || len(shown) != shownFailures {
		t.Errorf("%q", got)
	}
	if p.left != 490 || len(p.at) != 1 || p.at[0] != (place{Suite: "p", File: "p_test.go", Line: 7, Count: 23}) {
		t.Errorf("%d left, at %+v", p.left, p.at)
	}
	if want := "490 more failures (23 at p_test.go:7): last_test_failures{\"run_id\":\"r\"} lists all"; p.nameRest("r") != want {
		t.Errorf("%q", p.nameRest("r"))
	}
}

func TestWhatIsNotShownIsCounted(t *testing.T) {
	for n := range 40 {
		var failures []api.Failure
		for i := range n {
			failures = append(failures, failed(fmt.Sprint(i), "assertion", i%7))
		}
		for most := range shownFailures + 1 {
			p := pickFailures(failures, n, most)
			if len(p.shown) != min(n, most) || p.left != n-len(p.shown) || (p.nameRest("r") == "") != (p.left == 0) {
				t.Errorf("%d of %d: %d shown, %d left, %q", most, n, len(p.shown), p.left, p.nameRest("r"))
			}
		}
	}
}
