package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/sdk"
)

// forgeResponseFormat is the value of --format for a [forgeResponse].
const forgeResponseFormat = "forge-response"

// forgeLanguage is the language of the runs that have such a response.
const forgeLanguage = "solidity"

// forgeResponse is the TestResponse of the tester that wrapped `forge test
// --json` before: its fields, in its order. Readers of it need no change. Error
// is beside it where the run is no pass, as that tester gave a partial result
// and an error together.
type forgeResponse struct {
	Suites []forgeSuite `json:"suites"`
	Passed int          `json:"passed"`
	Failed int          `json:"failed"`
	Error  *forgeError  `json:"error,omitempty"`
}

// forgeSuite is its TestSuiteResult.
type forgeSuite struct {
	// File is forge's own key of a suite, "test/C.t.sol:CTest": a file alone
	// would not tell the contracts in it apart.
	File    string      `json:"file"`
	Passed  int         `json:"passed"`
	Failed  int         `json:"failed"`
	Skipped int         `json:"skipped"`
	Cases   []forgeCase `json:"cases"`
}

// forgeCase is its TestCaseResult.
type forgeCase struct {
	Name string `json:"name"`
	// Status is forge's own word: Success, Failure, Skipped.
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	// Gas is that of a unit test, or the mean of a fuzz test.
	Gas      uint64 `json:"gas,omitempty"`
	Duration string `json:"duration,omitempty"`
}

// forgeError is why the run is no pass.
type forgeError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// Retry: the same request may succeed later.
	Retry bool `json:"retry"`
}

// The codes of errors.
const (
	forgeFailed          = "TEST_FORGE_FAILED"
	forgeAssertionFailed = "TEST_ASSERTION_FAILED"
	forgeInvalidRequest  = "INVALID_REQUEST"
)

// printForgeResponse prints the response of a forge run.
func printForgeResponse(ctx context.Context, a *app, h *ledger.Keeper, req api.LastRun) error {
	if req.Ref == "" && req.Language == "" {
		req.Language = forgeLanguage
	}
	run, _, err := query.Show(ctx, h, req)
	var usage *api.UsageError
	var none *api.NoRunError
	var unknown *api.UnknownRunError
	switch {
	case errors.As(err, &usage), errors.As(err, &none), errors.As(err, &unknown):
		return &api.UsageError{Reason: forgeInvalidRequest + ": " + err.Error(), Advice: api.AdviceOf(err)}
	case err != nil:
		return err
	case run.Language != forgeLanguage:
		return &api.UsageError{
			Reason: fmt.Sprintf("%s: run %s is one of %s, and --format %s shows forge runs", forgeInvalidRequest, run.RunID, run.Language, forgeResponseFormat),
			Fix:    "--json shows the runs of every language",
		}
	}
	return a.printJSON(forgeResponseOf(run))
}

// forgeResponseOf turns a run with its results into the response.
func forgeResponseOf(run api.Run) forgeResponse {
	messages := map[api.Test]string{}
	for _, f := range run.Failures {
		test := api.Test{Suite: f.Suite, Test: f.Test}
		if messages[test] == "" {
			messages[test] = f.Message
		}
	}
	suites := map[string]*forgeSuite{}
	response := forgeResponse{Suites: []forgeSuite{}, Error: forgeErrorOf(run)}
	for _, r := range run.Results {
		s := suites[r.Suite]
		if s == nil {
			s = &forgeSuite{File: r.Suite}
			suites[r.Suite] = s
		}
		s.add(r, messages[api.Test{Suite: r.Suite, Test: r.Test}])
	}
	for _, s := range suites {
		slices.SortStableFunc(s.Cases, func(a, b forgeCase) int { return strings.Compare(a.Name, b.Name) })
		response.Suites = append(response.Suites, *s)
		response.Passed += s.Passed
		response.Failed += s.Failed
	}
	slices.SortFunc(response.Suites, func(a, b forgeSuite) int { return strings.Compare(a.File, b.File) })
	return response
}

// add counts a test as forge does. One that did not finish has no word of
// forge's, and must not read as anything but a failure.
func (s *forgeSuite) add(r api.Result, message string) {
	c := forgeCase{Name: r.Test, Reason: message, Duration: forgeDuration(r.DurationS)}
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

// forgeGas is kind.Unit.gas, else kind.Fuzz.mean_gas; 0 is none.
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

// forgeErrorOf is why a run is no pass. Only what the tests themselves decided is
// not worth trying again.
func forgeErrorOf(run api.Run) *forgeError {
	switch {
	case run.State == api.StateRunning:
		return &forgeError{Code: forgeFailed, Message: "run " + run.RunID + " goes on", Retry: true}
	case run.Verdict == api.Passed:
		return nil
	case run.Verdict == api.Failed:
		return &forgeError{Code: forgeAssertionFailed, Message: run.Reason}
	}
	message := string(run.Verdict) + ": " + run.Reason
	for _, f := range run.Failures {
		if f.Kind == "build" {
			message += "; " + f.Message
			break
		}
	}
	return &forgeError{Code: forgeFailed, Message: message, Retry: true}
}
