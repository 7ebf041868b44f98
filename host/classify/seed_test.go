package classify_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
)

// Defects found in the histories of other tools, each as the test that would have
// caught it.

func after(line string) api.Standing {
	words := strings.Fields(line)
	return classify.Test(classify.Subject{Timeline: timeline("T", runs(words...)...), SessionID: words[len(words)-1][:1]})
}

func TestAFirstFailureIsNotTheSameAsAFirstPass(t *testing.T) {
	failed, passed := after("a:F"), after("a:P")
	if failed.Resolution != api.StatusUnresolved || failed.FailedSessions != 1 || passed.Resolution != api.StatusPassed || passed.FailedSessions != 0 {
		t.Errorf("%+v, %+v", failed, passed)
	}
}

func TestFixedInALaterSessionIsFixed(t *testing.T) {
	if got := after("a:F b:P"); got.Classification != api.Fixed || got.Resolution != api.StatusFixed {
		t.Errorf("%+v", got)
	}
}

func TestPassedThenFixedThenFailingIsARegression(t *testing.T) {
	if got := after("a:P b:F b:P c:F"); got.Classification != api.Regression {
		t.Errorf("%+v", got)
	}
}

func TestRecurringClearsAfterRecovery(t *testing.T) {
	line := "a:F b:F c:F"
	if got := after(line); !got.Recurring {
		t.Errorf("before: %+v", got)
	}
	for session := 'd'; session <= 'z'; session++ {
		line += " " + string(session) + ":P"
	}
	if got := after(line); got.Recurring || got.FailedSessions != 3 {
		t.Errorf("after 23 good sessions: %+v", got)
	}
}

func TestThreeFailedAttemptsAreNotFixed(t *testing.T) {
	if got := after("a:P b:F b:F b:F"); got.Classification != api.Regression || got.Resolution != api.StatusUnresolved || got.FailedSessions != 1 {
		t.Errorf("%+v", got)
	}
}

func TestOneFailedAttemptThatIsStillRedIsNotFixed(t *testing.T) {
	if got := after("a:F"); got.Classification == api.Fixed || got.Resolution != api.StatusUnresolved {
		t.Errorf("%+v", got)
	}
}

func TestTenFailuresInOneSessionCountOnce(t *testing.T) {
	if got := after(strings.Repeat("a:F ", 10)); got.FailedSessions != 1 || got.Recurring {
		t.Errorf("%+v", got)
	}
}

func TestRedGreenRedWithEditsIsNotFlaky(t *testing.T) {
	line := timeline("T", did{session: "a", results: "F", state: "1"}, did{session: "a", results: "P", state: "2"}, did{session: "a", results: "F", state: "3"})
	if got := classify.Test(classify.Subject{Timeline: line, SessionID: "a"}).Flaky; got != nil {
		t.Errorf("%+v", got)
	}
}

func TestRedGreenWithoutEditsIsFlaky(t *testing.T) {
	line := timeline("T", did{session: "a", results: "F", state: "1"}, did{session: "a", results: "P", state: "1"})
	got := classify.Test(classify.Subject{Timeline: line, SessionID: "a"}).Flaky
	if got == nil || got.FailedRun != "run01" || got.PassedRun != "run02" || got.Fingerprint != "1" {
		t.Errorf("%+v", got)
	}
}

func TestTwoFilesOfOneBaseNameAreToldApart(t *testing.T) {
	got := classify.Context([]api.Spot{recurring("pay/billing.x", 3), recurring("tax/billing.x", 3)}, nil).Text
	if want := "Recurring failures across sessions: pay/billing.x, tax/billing.x."; got != want {
		t.Error(got)
	}
}
