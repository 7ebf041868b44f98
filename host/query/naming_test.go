package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/sdk"
)

func TestANameMatchesWholeThenByItsEndThenLoosely(t *testing.T) {
	tests := []sdk.TestID{
		0: {Suite: "example.com/m/cart", Test: "TestTotal"},
		1: {Suite: "example.com/m/cart", Test: "TestTotal/ten_per_cent"},
		2: {Suite: "example.com/m/cart"},
		3: {Suite: "test/C.t.sol:C", Test: "test_Ceil()"},
		4: {Suite: "test/C.t.sol:C", Test: "testFuzz_Add(uint256,uint256)"},
		5: {Suite: "test/C.t.sol:C", Test: "testFuzz_Add(int256)"},
		6: {Suite: "example.com/m/internal/util"},
		7: {Suite: "example.com/m/internal/util", Test: "TestX"},
		8: {Suite: "test/D.t.sol:D"},
	}
	for name, want := range map[string][]int{
		"TestTotal":                     {0},
		"cart/TestTotal":                {0},
		"cart TestTotal":                {0},
		"ten_per_cent":                  {1},
		"TestTotal/ten per cent":        {1},
		"ten per cent":                  {1},
		"cart TestTotal/ten per cent":   {1},
		"test_Ceil":                     {3},
		"test_Ceil()":                   {3},
		"test/C.t.sol:C test_Ceil":      {3},
		"C.t.sol:C/test_Ceil":           {3},
		"C test_Ceil()":                 {3},
		"C test_Ceil":                   {3},
		"C/test_Ceil()":                 {3},
		"C testFuzz_Add(int256)":        {5},
		"D":                             {8},
		"testFuzz_Add":                  {4, 5},
		"testFuzz_Add(int256)":          {5},
		"internal/util":                 {6},
		"example.com/m/cart":            {2},
		"test_Cei":                      nil,
		"test_Ceil(":                    nil,
		"":                              nil,
		"example.com/m/cart TestTotal ": nil,
	} {
		if got := api.MatchTests(tests, name, api.SuiteNames{}); !slices.Equal(got, want) {
			t.Errorf("%q means %v, want %v", name, got, want)
		}
	}
}

func TestAnUnknownNameIsAnsweredWithTheNearest(t *testing.T) {
	p := ledgertest.New(t)
	p.Run("now", historytest.Passed("f", "TestTotal"), historytest.Passed("f", "TestFormat"), historytest.Passed("f", "test_Ceil()"))
	for name, want := range map[string]string{
		"TestTotl":            "did you mean s/TestTotal?",
		"testformat":          "did you mean s/TestFormat?",
		"test_Cell":           "did you mean s/test_Ceil()?",
		"elsewhere TestTotal": "did you mean s/TestTotal?",
	} {
		_, err := Why(t.Context(), p.Keeper, api.WhyRequest{Where: p.Where(), Test: name})
		if usage, ok := errors.AsType[*api.UsageError](err); !ok || !strings.Contains(usage.Fix, want) || usage.Advice != (api.Advice{}) {
			t.Errorf("%q: %v; want %s", name, err, want)
		}
	}
	if why, err := Why(t.Context(), p.Keeper, api.WhyRequest{Where: p.Where(), Test: "test_Ceil"}); err != nil || why.Test != "test_Ceil()" {
		t.Errorf("%q, %v", why.Test, err)
	}
}

func TestASuiteIsNamedByItsEndBesideItsTests(t *testing.T) {
	for suite, name := range map[string]string{"m/internal/util": "internal/util", "test/Vault.t.sol:VaultTest": "VaultTest"} {
		for _, own := range []bool{false, true} {
			p := ledgertest.New(t)
			results := []history.Result{{TestID: sdk.TestID{Suite: "other/Vault", Test: "x"}, Outcome: history.Passed}}
			if own {
				results = append(results, history.Result{TestID: sdk.TestID{Suite: suite}, Outcome: history.Failed, Kind: "build"})
			}
			for i := range 2 * ledger.MaxMatches {
				results = append(results, history.Result{TestID: sdk.TestID{Suite: suite, Test: fmt.Sprint("Test", i)}, Outcome: history.Passed})
			}
			p.Run("now", results...)
			if why, err := Why(t.Context(), p.Keeper, api.WhyRequest{Where: p.Where(), Test: name}); own && (err != nil || why.Suite != suite || why.Test != "") {
				t.Errorf("%q %q, %v", why.Suite, why.Test, err)
			}
			list, err := History(t.Context(), p.Keeper, api.HistoryRequest{Where: p.Where(), Name: name})
			if err != nil || list.TestsTotal != 2*ledger.MaxMatches {
				t.Errorf("%s, with results of its own: %v: %d tests, %v", name, own, list.TestsTotal, err)
			}
		}
	}
}
