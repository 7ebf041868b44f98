package pick

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
	p := Failures(failures, 500, 10)
	var shown []string
	for _, f := range p.Shown {
		shown = append(shown, f.Test)
	}
	if got := strings.Join(shown, " "); !strings.HasPrefix(got, " TestCrash TestTable/00 TestTable/01 TestOther TestTable/02") || len(shown) != 10 {
		t.Errorf("%q", got)
	}
	if p.Left != 490 || len(p.At) != 1 || p.At[0] != (Place{Suite: "p", File: "p_test.go", Line: 7, Count: 23}) {
		t.Errorf("%d left, at %+v", p.Left, p.At)
	}
	if want := "490 more failures (23 at p_test.go:7): last_test_failures{\"run_id\":\"r\"} lists all"; p.Rest("r") != want {
		t.Errorf("%q", p.Rest("r"))
	}
}

func TestWhatIsNotShownIsCounted(t *testing.T) {
	for n := range 40 {
		var failures []api.Failure
		for i := range n {
			failures = append(failures, failed(fmt.Sprint(i), "assertion", i%7))
		}
		for most := range 10 + 1 {
			p := Failures(failures, n, most)
			if len(p.Shown) != min(n, most) || p.Left != n-len(p.Shown) || (p.Rest("r") == "") != (p.Left == 0) {
				t.Errorf("%d of %d: %d shown, %d left, %q", most, n, len(p.Shown), p.Left, p.Rest("r"))
			}
		}
	}
}
