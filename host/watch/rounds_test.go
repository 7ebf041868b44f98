package watch

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// What is outstanding runs first, unless everything that the change can break is of the same
// suites: then it would run twice.
func TestWhatIsOutstandingRunsOnceIfTheChangeCanBreakOnlyItsSuites(t *testing.T) {
	t.Parallel()
	graph := coverage.NewGraph()
	graph.Part(sdk.ListedPart{Name: "cart", Files: []string{"cart/cart.go"}})
	graph.Part(sdk.ListedPart{Name: "money", Files: []string{"money/money.go"}})
	graph.Suite(sdk.ListedSuite{Suite: "cart", Needs: []string{"cart", "money"}})
	graph.Suite(sdk.ListedSuite{Suite: "money", Needs: []string{"money"}})
	state := func(id string, files ...string) fingerprint.State {
		s := fingerprint.State{ID: id, Kind: "git", Top: "/repo"}
		for _, path := range []string{"README.md", "shop/cart/cart.go", "shop/money/money.go"} {
			hash := fingerprint.Hash{1}
			for _, changed := range files {
				if changed == path {
					hash = fingerprint.Hash{2}
				}
			}
			s.Files = append(s.Files, fingerprint.File{Path: path, Hash: hash})
		}
		return s
	}
	p := project.Project{Root: workspace.Root{Path: "/repo/shop"}}
	p.ID.Language = "go"
	left := func(tests ...api.OutstandingTest) api.Outstanding {
		return api.Outstanding{Tests: tests, Total: len(tests)}
	}
	cart, money := api.OutstandingTest{Suite: "cart", Test: "TestTotal"}, api.OutstandingTest{Suite: "money"}
	raced := cart
	raced.RunnerArgs = []string{"-race"}
	otherwise := cart
	otherwise.Otherwise = []string{"GOFLAGS=-race"}
	quarantined := cart
	quarantined.Quarantined = true
	for name, c := range map[string]struct {
		changed []string
		left    api.Outstanding
		want    bool
	}{
		"its own file":              {[]string{"shop/cart/cart.go"}, left(cart), true},
		"a file of others, too":     {[]string{"shop/money/money.go"}, left(cart), false},
		"all that is built from it": {[]string{"shop/money/money.go"}, left(cart, money), true},
		"a file of unknown effect":  {[]string{"shop/cart/cart.go", "README.md"}, left(cart), false},
		"no change":                 {nil, left(cart), false},
		"nothing outstanding":       {[]string{"shop/cart/cart.go"}, left(), false},
		"with other arguments":      {[]string{"shop/cart/cart.go"}, left(raced), false},
		"in another environment":    {[]string{"shop/cart/cart.go"}, left(otherwise), false},
		"a whole run":               {[]string{"shop/cart/cart.go"}, left(cart, api.OutstandingTest{}), false},
		"only in quarantine":        {[]string{"shop/cart/cart.go"}, left(quarantined), false},
		"more than is listed":       {[]string{"shop/cart/cart.go"}, api.Outstanding{Tests: []api.OutstandingTest{cart}, Total: 1, Unlisted: 1}, false},
	} {
		r := &Rounds{known: &ledger.Known{
			Sources: &fingerprint.Snapshot{State: state("now", c.changed...)},
			Graphs:  []ledger.KnownGraph{{Language: "go", Graph: graph}},
		}}
		if got := r.isOfSameSuites(p, base{run: "r", sources: state("before")}, c.left); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	runs := []api.Run{{RunID: "r2"}}
	again, before := cart, money
	again.LastRunID, before.LastRunID = "r2", "r1"
	if isLeftOut(left(again), runs) || isLeftOut(left(), runs) || !isLeftOut(left(again, before), runs) {
		t.Error("what was not red in the round has not run in it")
	}
}

// What the prompt names runs, in the way in which the plugin selects suites.
func TestANarrowedRoundRunsWhatThePromptNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "cart"), 0o700); err != nil {
		t.Fatal(err)
	}
	var packages, contracts project.Project
	packages.ID.Language, packages.ID.Selectors = "go", []sdk.Selector{sdk.SelectSuites, sdk.SelectTestPattern}
	contracts.ID.Language, contracts.ID.Selectors = "solidity", []sdk.Selector{sdk.SelectPathPattern, sdk.SelectSuitePattern}
	inGo, inSolidity, inBoth := []project.Project{packages}, []project.Project{contracts}, []project.Project{packages, contracts}
	suites, named := []string{"m/cart", "m/cart/tax"}, []api.ExpectedSuite{{Suite: "m/cart"}, {Suite: "m/cart/tax"}}
	vaults := []api.ExpectedSuite{{Suite: "test/V.t.sol:VaTest", File: "test/V.t.sol"}, {Suite: "test/W.t.sol:VatTest", File: "test/W.t.sol"}}
	type of = map[string][]api.ExpectedSuite
	only := func(language string, r api.RunRequest) api.RunRequest {
		r.Languages = []string{language}
		return r
	}
	for name, c := range map[string]struct {
		narrow Narrow
		in     []project.Project
		want   []api.RunRequest
	}{
		"nothing":             {Narrow{Filter: "X"}, inBoth, []api.RunRequest{{Packages: []string{"./all"}, Filter: "X"}}},
		"a path":              {Narrow{Package: "cart/..."}, inGo, []api.RunRequest{only("go", api.RunRequest{Packages: []string{"./cart/..."}})}},
		"a path in both":      {Narrow{Package: "./cart"}, inBoth, []api.RunRequest{only("go", api.RunRequest{Packages: []string{"./cart"}}), only("solidity", api.RunRequest{Packages: []string{"./cart"}})}},
		"a part of names":     {Narrow{Package: "cart", Suites: of{"go": named}}, inBoth, []api.RunRequest{only("go", api.RunRequest{Packages: suites})}},
		"a contract":          {Narrow{Package: "VaT", Suites: of{"solidity": vaults[:1]}}, inBoth, []api.RunRequest{only("solidity", api.RunRequest{Packages: []string{"test/V.t.sol:VaTest"}})}},
		"a part of contracts": {Narrow{Package: "Va", Suites: of{"solidity": vaults}}, inSolidity, []api.RunRequest{only("solidity", api.RunRequest{MatchContract: "Va"})}},
		"a part of files":     {Narrow{Package: ".t.sol", Suites: of{"solidity": append(vaults, vaults[0])}}, inSolidity, []api.RunRequest{only("solidity", api.RunRequest{Packages: []string{"test/V.t.sol", "test/W.t.sol"}})}},
		"a path of contracts": {Narrow{Package: "cart", Suites: of{"solidity": vaults}}, inSolidity, []api.RunRequest{only("solidity", api.RunRequest{Packages: []string{"./cart"}})}},
		"a part of both": {Narrow{Package: "t", Suites: of{"go": named, "solidity": vaults[:1]}}, inBoth, []api.RunRequest{
			only("go", api.RunRequest{Packages: suites}), only("solidity", api.RunRequest{Packages: []string{"test/V.t.sol:VaTest"}}),
		}},
	} {
		for i := range c.want {
			c.want[i].Where.Dir = dir
		}
		got := narrow(api.RunRequest{Where: api.Where{Dir: dir}, Packages: []string{"./all"}}, c.narrow, c.in)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestANarrowedRoundLeavesOutWhatIsGone(t *testing.T) {
	t.Parallel()
	whole, broken := coverage.NewGraph(), coverage.NewGraph()
	for _, g := range []*coverage.Graph{whole, broken} {
		g.Suite(sdk.ListedSuite{Suite: "m/cart"})
	}
	broken.Error("m/tax cannot be listed")
	var p project.Project
	p.ID.Language = "go"
	both := []api.ExpectedSuite{{Suite: "m/cart"}, {Suite: "m/tax"}}
	for name, c := range map[string]struct {
		known  *ledger.Known
		suites []api.ExpectedSuite
		want   []api.ExpectedSuite
	}{
		"nothing is listed":     {nil, both, both},
		"one is gone":           {&ledger.Known{Graphs: []ledger.KnownGraph{{Language: "go", Graph: whole}}}, both, both[:1]},
		"of another language":   {&ledger.Known{Graphs: []ledger.KnownGraph{{Language: "solidity", Graph: whole}}}, both, both},
		"not all can be listed": {&ledger.Known{Graphs: []ledger.KnownGraph{{Language: "go", Graph: broken}}}, both, both},
		"all are gone":          {&ledger.Known{Graphs: []ledger.KnownGraph{{Language: "go", Graph: whole}}}, both[1:], both[1:]},
	} {
		r := &Rounds{known: c.known}
		if got := r.dropGone(t.Context(), p, api.RunRequest{}, c.suites); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
