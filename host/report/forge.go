package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// ForgeLanguage is the language of the runs with such a response.
const ForgeLanguage = "solidity"

// ForgeResponse is the TestResponse of the tester that wrapped `forge test --json`
// before, with the same fields in the same order, so that its readers need no change.
// Error is set if the run is not a pass, as that tester returned a partial result and
// an error together.
type ForgeResponse struct {
	Suites []ForgeSuite `json:"suites"`
	Passed int          `json:"passed"`
	Failed int          `json:"failed"`
	Error  *ForgeError  `json:"error,omitempty"`
}

// ForgeSuite is its TestSuiteResult.
type ForgeSuite struct {
	// File is forge's own key of a suite, "test/C.t.sol:CTest": a file alone would not
	// distinguish the contracts in it.
	File    string      `json:"file"`
	Passed  int         `json:"passed"`
	Failed  int         `json:"failed"`
	Skipped int         `json:"skipped"`
	Cases   []ForgeCase `json:"cases"`
}

// ForgeCase is its TestCaseResult.
type ForgeCase struct {
	Name string `json:"name"`
	// Status is forge's own word: Success, Failure, Skipped.
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	// Gas is that of a unit test, or the mean of a fuzz test.
	Gas      uint64 `json:"gas,omitempty"`
	Duration string `json:"duration,omitempty"`
}

// ForgeError is why the run is not a pass.
type ForgeError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// Retry reports whether the same request may succeed later.
	Retry bool `json:"retry"`
}

// The codes of errors.
const (
	forgeFailed          = "TEST_FORGE_FAILED"
	forgeAssertionFailed = "TEST_ASSERTION_FAILED"
	ForgeInvalidRequest  = "INVALID_REQUEST"
)

// ForgeResponseOf converts a run with its results.
func ForgeResponseOf(run api.Run) ForgeResponse {
	messages := map[sdk.TestID]string{}
	for _, f := range run.Failures {
		test := f.TestID
		if messages[test] == "" {
			messages[test] = f.Message
		}
	}
	suites := map[string]*ForgeSuite{}
	response := ForgeResponse{Suites: []ForgeSuite{}, Error: ForgeErrorOf(run)}
	for _, r := range run.Results {
		s := suites[r.Suite]
		if s == nil {
			s = &ForgeSuite{File: r.Suite}
			suites[r.Suite] = s
		}
		s.add(r, messages[r.TestID])
	}
	for _, s := range suites {
		slices.SortStableFunc(s.Cases, func(a, b ForgeCase) int { return strings.Compare(a.Name, b.Name) })
		response.Suites = append(response.Suites, *s)
		response.Passed += s.Passed
		response.Failed += s.Failed
	}
	slices.SortFunc(response.Suites, func(a, b ForgeSuite) int { return strings.Compare(a.File, b.File) })
	return response
}

// Cases returns the response with only n cases from one on; it counts all.
func (r ForgeResponse) Cases(from, n int) ForgeResponse {
	part := []ForgeSuite{}
	for _, s := range r.Suites {
		first := min(from, len(s.Cases))
		last := min(first+n, len(s.Cases))
		from, n = from-first, n-(last-first)
		if s.Cases = s.Cases[first:last]; len(s.Cases) > 0 {
			part = append(part, s)
		}
	}
	r.Suites = part
	return r
}

// add counts a test like forge. Forge has no word for one that did not finish, which
// must read as a failure.
func (s *ForgeSuite) add(r api.Result, message string) {
	c := ForgeCase{Name: r.Test, Reason: message, Duration: forgeDuration(r.DurationS)}
	switch r.Status {
	case sdk.Passed:
		s.Passed++
		c.Status, c.Gas = "Success", forgeGas(r.Measures)
	case sdk.Skipped:
		s.Skipped++
		c.Status, c.Reason = "Skipped", cmp.Or(message, r.Attributes["reason"])
	case sdk.Failed:
		s.Failed++
		c.Status = "Failure"
	default:
		s.Failed++
		c.Status, c.Reason = "Failure", cmp.Or(message, "did not finish")
	}
	s.Cases = append(s.Cases, c)
}

// forgeGas returns kind.Unit.gas, else kind.Fuzz.mean_gas, else 0.
func forgeGas(measures []sdk.Measure) uint64 {
	for _, kind := range []string{"unit", "fuzz_mean"} {
		for _, m := range measures {
			if m.Name == "gas" && m.Kind == kind && m.Section == "" {
				gas, _ := strconv.ParseUint(string(m.Value), 10, 64)
				return gas
			}
		}
	}
	return 0
}

func forgeDuration(s float64) string {
	d := time.Duration(s * float64(time.Second)).Round(time.Nanosecond)
	if d <= 0 {
		return ""
	}
	return d.String()
}

// ForgeErrorOf returns why a run is not a pass. Only what the tests themselves decided
// is not worth retrying.
func ForgeErrorOf(run api.Run) *ForgeError {
	switch {
	case run.State == api.StateRunning:
		return &ForgeError{Code: forgeFailed, Message: "run " + run.RunID + " goes on", Retry: true}
	case run.Verdict == api.Passed:
		return nil
	case run.Verdict == api.Failed:
		return &ForgeError{Code: forgeAssertionFailed, Message: run.Reason}
	}
	message := string(run.Verdict) + ": " + run.Reason
	for _, f := range run.Failures {
		if f.Kind == "build" {
			message += "; " + f.Message
			break
		}
	}
	return &ForgeError{Code: forgeFailed, Message: message, Retry: true}
}
