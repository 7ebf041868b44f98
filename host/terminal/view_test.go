package terminal

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/internal/golden"
	"github.com/proctorhq/proctor/sdk"
)

// printing is a view that redraws nothing.
func printing(w *bytes.Buffer, style render.Style) *View {
	return New(Config{Out: w, Asked: w, Size: func() (int, int) { return 80, 24 }, Style: style})
}

// begins is what is printed when a run of these commands begins.
func begins(verbose bool, commands ...[]string) string {
	var out bytes.Buffer
	run := api.Run{Language: "node", Workspace: "/w"}
	for _, argv := range commands {
		run.Commands = append(run.Commands, api.Command{Argv: argv, Dir: "."})
	}
	printing(&out, render.Style{Verbose: verbose}).showStart(&api.RunStarted{Run: run})
	return out.String()
}

func TestARunBeginsWithItsCommandsForAReader(t *testing.T) {
	node := []string{"/usr/bin/node", "--test", "--reporter={scratch}/reporter-673adedef483bb90.mjs", "a b.mjs"}
	if got, want := begins(false, node, []string{"go", "test"}), "proctor: node in /w: node --test --reporter={scratch}/… 'a b.mjs'; go test\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	if got, want := begins(true, node), "proctor: node in /w: /usr/bin/node --test '--reporter={scratch}/reporter-673adedef483bb90.mjs' 'a b.mjs'\n"; got != want {
		t.Errorf("verbose:\ngot  %swant %s", got, want)
	}
	if got := begins(false, []string{"x", strings.Repeat("y", 1000)}); len(got) > 300 {
		t.Errorf("%d bytes of one command", len(got))
	}
}

func TestARunWithoutACommandSaysSoWhereItWouldStand(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		if got, want := begins(verbose), "proctor: node in /w: there is no command to run\n"; got != want {
			t.Errorf("got  %swant %s", got, want)
		}
	}
}

func TestAnIndexSaysHowMuchThereIsToDo(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	ix := api.Index{Language: "go\n", Workspace: "/w", BudgetS: 600, Suites: []api.IndexedSuite{{Suite: "a"}, {Suite: "b", State: api.IndexFresh}, {Suite: "c", State: api.IndexEmpty}}}
	printing(&stderr, render.Style{}).showIndexing(ix)
	if got, want := stderr.String(), "proctor: go\\n in /w: 1 of 3 suites to be measured, in at most 600s\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	stderr.Reset()
	printing(&stderr, render.Style{Quiet: true}).showIndexing(ix)
	if stderr.Len() > 0 {
		t.Errorf("quiet says %q", stderr.String())
	}
}

func TestTheStatusOfAnIndexShowsSuitesAndNoTest(t *testing.T) {
	t.Parallel()
	running := []sdk.RunningTest{{ID: sdk.TestID{Suite: "m/a", Test: "TestA"}}, {ID: sdk.TestID{Suite: "m/a", Test: "TestB"}}, {ID: sdk.TestID{Suite: "m/b\n", Test: "TestC"}}}
	awaited := indexing{suites: 12, noun: "package", budget: 600}
	for _, c := range []struct {
		progress sdk.Progress
		want     string
	}{
		{sdk.Progress{}, "  0.0s of at most 600s  0 of 12 packages done, no test is running: building"},
		{sdk.Progress{SuitesDone: 12}, "  0.0s of at most 600s  12 of 12 packages done: keeping what was measured"},
		{sdk.Progress{SuitesDone: 2, Running: running, RunningTotal: 3}, "  0.0s of at most 600s  2 of 12 packages done\n" +
			"        m/a: its tests run together, then one by one\n        m/b\\n: its tests run together, then one by one"},
	} {
		if got := strings.Join(awaited.lines(c.progress, 0), "\n"); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

func TestARunBeginsWithWhatChangesChose(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	printing(&stderr, render.Style{}).showStart(&api.RunStarted{SuitePrefixes: []string{"example.com"}, Run: api.Run{Language: "go", Workspace: "/w", Affected: &api.Affected{
		Base: "HEAD", Changed: []string{"a.go"}, ChangedTotal: 1, ChosenTests: 1, LeftOutTests: 2,
		Chosen: []api.ChosenTest{{Suite: "example.com/m/a", Test: "TestA", Granularity: api.GranularityTest, Why: "it executes A, which changed"}},
	}}})
	want := `proctor: affected: chosen by what changed since HEAD: 1 test; left out: 2 tests
   changed: a.go
   it executes A, which changed (test):
      m/a TestA
proctor: go in /w: there is no command to run
`
	if got := stderr.String(); got != want {
		t.Errorf("got:\n%s", got)
	}
}

func TestARunOfNothingThatChangedBeginsSilently(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	printing(&stderr, render.Style{}).showStart(&api.RunStarted{Run: api.Run{Language: "go", Workspace: "/w", Affected: &api.Affected{Base: "HEAD"}}})
	if stderr.Len() > 0 {
		t.Errorf("its end says it too, and here stands %q", stderr.String())
	}
}

// events are those of a run of five suites: the failures of one have one cause, one is
// skipped as a whole, and one does not build.
func events() []api.Event {
	test := func(suite, name string, s sdk.Status, root string) api.Event {
		return &api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{
			TestID: sdk.TestID{Suite: "example.com/shop/" + suite, Test: name}, Status: s, Root: root, Location: sdk.Location{File: suite + "/a_test.go", Line: 3},
		}, DurationS: 0.01}}
	}
	failure := func(suite, name, kind string, line int, message string) api.Event {
		return &api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{
			TestID: sdk.TestID{Suite: "example.com/shop/" + suite, Test: name}, Kind: kind, Message: message, Location: sdk.Location{File: suite + "/a_test.go", Line: line},
			Output: "::error::owned\n  ::stop-commands::x\n##[command]x\nplain\n",
		}}}
	}
	end := func(suite string, o sdk.SuiteOutcome) api.Event {
		return &api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "example.com/shop/" + suite, Outcome: o, Elapsed: 120 * time.Millisecond}}
	}
	all := []api.Event{
		&api.RunStarted{Run: api.Run{RunID: "x", Language: "go", Workspace: "/w/shop", Commands: []api.Command{{Argv: []string{"go", "test", "./..."}}}}},
		test("mail", "TestSendsHTTPMail", sdk.Passed, ""), test("mail", "TestLater", sdk.Skipped, ""), end("mail", sdk.SuitePassed),
		test("cart", "TestTotal/one_price", sdk.Failed, "TestTotal"), failure("cart", "TestTotal/one_price", "assertion", 17, "Total([5]) = 4, want 5"),
		test("cart", "TestTotal", sdk.Failed, ""), test("cart", "TestEmpty", sdk.Passed, ""), end("cart", sdk.SuiteFailed),
	}
	for i := range 5 {
		name := fmt.Sprintf("TestOrder%02d", i)
		all = append(all, test("orders", name, sdk.Failed, ""), failure("orders", name, "assertion", 10+i, "open database: dial tcp 127.0.0.1:5432: connect: connection refused"))
	}
	skips := test("chain", "setUp()", sdk.Skipped, "").(*api.TestEnded)
	skips.Fixture = true
	return append(all, end("orders", sdk.SuiteFailed), end("none", sdk.SuiteNoTests), skips, end("chain", sdk.SuitePassed),
		failure("price", "", "build", 44, "undefined: Price"), end("price", sdk.SuiteBuildFailed),
		&api.Progressed{Progress: sdk.Progress{Passed: 2, Failed: 7, Skipped: 1, SuitesDone: 4, RunningTotal: 1, Running: []sdk.RunningTest{
			{ID: sdk.TestID{Suite: "example.com/shop/geo", Test: "TestImportOfEverything/" + strings.Repeat("long", 20)}, Elapsed: 6 * time.Second},
		}}})
}

func TestEachFormatShowsARunInItsWay(t *testing.T) {
	t.Parallel()
	for _, f := range Formats() {
		for _, color := range []bool{false, true} {
			var out bytes.Buffer
			v := New(Config{Out: &out, Asked: &out, Size: func() (int, int) { return 80, 24 }, Format: f.Name, Style: render.Style{Color: color, Quiet: f.Name == "quiet"}})
			var run api.Run
			for _, e := range events() {
				if f, isFailure := e.(*api.FailureFound); isFailure {
					run.Failures = append(run.Failures, f.Failure)
				}
				v.Listen(e)
			}
			v.Listen(&api.RunFinished{Run: run})
			if !color {
				golden.Compare(t, "testdata/"+f.Name+".txt", out.String())
			}
			if strings.Contains(out.String(), "\x1b") != (color && f.Name != "quiet" && f.Name != "testname") {
				t.Errorf("%s, color %v: %q", f.Name, color, out.String())
			}
		}
	}
}

func TestTheLiveViewFitsTheTerminal(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{100, 60, 20} {
		var out bytes.Buffer
		v := New(Config{Out: &out, Asked: &out, Size: func() (int, int) { return columns, 20 }, Live: true})
		now := time.Now()
		building := ""
		for i, e := range events() {
			v.Listen(e)
			if i == 0 {
				v.area.stop(true)
				v.began = now.Add(-28 * time.Second)
				building = strings.Join(v.live(now), "\n")
			}
		}
		v.at, v.began = now, now.Add(-72*time.Second)
		lines := v.live(now)
		for _, l := range lines {
			if render.Cells(l) >= columns {
				t.Errorf("%d columns: %q takes %d", columns, l, render.Cells(l))
			}
		}
		if columns > 20 {
			golden.Compare(t, fmt.Sprintf("testdata/live-%d.txt", columns), building+"\n\n"+strings.Join(lines, "\n")+"\n")
		}
		if len(lines) > 20-2 {
			t.Errorf("%d lines in a terminal of 20", len(lines))
		}
	}
}

func TestAFirstRunDoesNotSayHowManyThereWillBe(t *testing.T) {
	t.Parallel()
	v := New(Config{Out: &bytes.Buffer{}, Asked: &bytes.Buffer{}, Size: func() (int, int) { return 60, 20 }, Live: true})
	v.Listen(&api.RunStarted{SuiteNoun: "package"})
	v.area.stop(true)
	v.Listen(&api.Progressed{Progress: sdk.Progress{RunningTotal: 1, SuitesRunning: []string{"m"}}})
	if got := strings.Join(v.live(v.began), "\n"); got != " 0:00  0 packages done · 1 running" {
		t.Error(got)
	}
}

func TestASuiteOfSkippedTestsSaysSo(t *testing.T) {
	t.Parallel()
	for tests, want := range map[int]string{1: "  1 test skipped  ", 2: "  all 2 tests skipped  "} {
		var out bytes.Buffer
		v := printing(&out, render.Style{})
		for i := range tests {
			v.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "m/a", Test: fmt.Sprint(i)}, Status: sdk.Skipped}}})
		}
		v.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "m/a", Outcome: sdk.SuitePassed}})
		if !strings.Contains(out.String(), want) {
			t.Errorf("%d: %q", tests, out.String())
		}
	}
}

func TestASuiteThatWasSkippedAndDidNotPassIsRed(t *testing.T) {
	t.Parallel()
	fixture := func(name string, s sdk.Status) api.Event {
		return &api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "m/a", Test: name}, Status: s, Fixture: true}}}
	}
	setUp, tearDown := fixture("setUp()", sdk.Skipped), fixture("tearDown()", sdk.Passed)
	for outcome, want := range map[sdk.SuiteOutcome]string{
		sdk.SuitePassed: "skip  m/a           skipped as a whole  ", sdk.SuiteAborted: "FAIL  m/a ", sdk.SuiteUnfinished: "FAIL  m/a ", sdk.SuiteBuildFailed: "FAIL  m/a ",
	} {
		for _, fixtures := range [][]api.Event{{setUp}, {setUp, tearDown}} {
			var out bytes.Buffer
			v := printing(&out, render.Style{})
			for _, e := range fixtures {
				v.Listen(e)
			}
			v.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "m/a", Outcome: outcome}})
			if !strings.HasPrefix(out.String(), want) {
				t.Errorf("%v: %q", outcome, out.String())
			}
		}
	}
}

func TestWhyASuiteDoesNotBuildIsSaidOnceAsItComes(t *testing.T) {
	t.Parallel()
	broken := func(line int, message string) api.Event {
		return &api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "m/price"}, Kind: "build", Message: message, Location: sdk.Location{File: "price/price.go", Line: line}}}}
	}
	var out bytes.Buffer
	v := printing(&out, render.Style{})
	for _, e := range []api.Event{
		&api.RunStarted{},
		&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "m/price", Outcome: sdk.SuiteBuildFailed, Reason: "price/price.go:4:2: undefined: Price"}},
		broken(4, "undefined: Price"), broken(9, "undefined: Sum"),
	} {
		v.Listen(e)
	}
	if text := out.String(); strings.Count(text, "undefined: Price") != 1 || strings.Count(text, "undefined: Sum") != 1 {
		t.Errorf("got\n%s", text)
	}
	out.Reset()
	for _, e := range []api.Event{
		&api.RunStarted{},
		broken(6, "no package x; to add it:\n\tgo get x"),
		&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "m/price", Outcome: sdk.SuiteBuildFailed, Reason: "price/price.go:6:2: no package x; to add it: go get x"}},
	} {
		v.Listen(e)
	}
	if text := out.String(); strings.Count(text, "no package x") != 1 || !strings.Contains(text, "does not build  ") {
		t.Errorf("got\n%s", text)
	}
}

// What compiles is not told by every runner: but what is still to come is known, and that
// nothing of it runs.
func TestWhileNothingRunsTheSuitesToComeAreNamed(t *testing.T) {
	t.Parallel()
	v := New(Config{Out: &bytes.Buffer{}, Asked: &bytes.Buffer{}, Size: func() (int, int) { return 60, 20 }, Live: true})
	asked := make(chan bool)
	v.Listen(&api.RunStarted{Suites: 5, SuiteNoun: "package", Expected: func() []api.ExpectedSuite {
		defer close(asked)
		return []api.ExpectedSuite{{Suite: "m/api", File: "api/a_test.go"}, {Suite: "m/cart"}, {Suite: "m/geo"}, {Suite: "m/mail"}, {Suite: "m/web"}}
	}})
	v.area.stop(true)
	now := time.Now()
	v.began = now.Add(-28 * time.Second)
	v.live(now) // asks for the names
	<-asked
	for { // what was told is taken over in a moment
		v.mu.Lock()
		known := v.awaited.suites
		v.mu.Unlock()
		if known != nil {
			break
		}
		runtime.Gosched()
	}
	for _, c := range []struct {
		what string
		e    api.Event
		want string
	}{
		{"before anything", &api.Progressed{}, " 0:28  building · 0 of 5 packages done\n       next: api, cart, geo and 2 more"},
		{"while a suite runs", &api.Progressed{Progress: sdk.Progress{SuitesRunning: []string{"m/api"}}}, " 0:28  0 of 5 packages done"},
		{"a subtest", &api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "m/api", Test: "TestGet/part"}, Root: "TestGet", Status: sdk.Passed}}}, " 0:28  0 of 5 packages done"},
		{"its test", &api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "m/api", Test: "TestGet"}, Status: sdk.Passed}}}, " 0:28  0 of 5 packages done · 1 passed"},
		{"after it", &api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "m/api"}}, ""},
		{"between suites", &api.Progressed{Progress: sdk.Progress{Passed: 2, SuitesDone: 1}}, " 0:28  building · 1 of 5 packages done · 1 passed\n       next: cart, geo, mail and 1 more"},
		{"at the end", &api.Progressed{Progress: sdk.Progress{Passed: 2, SuitesDone: 5}}, " 0:28  5 of 5 packages done · 1 passed"},
		{"after one more than the last time began", &api.Progressed{Progress: sdk.Progress{SuitesDone: 5, SuitesRunning: []string{"m/new"}}}, " 0:28  5 packages done · 1 passed"},
	} {
		if _, ended := c.e.(*api.SuiteEnded); !ended && c.what == "at the end" {
			for _, suite := range []string{"m/cart", "m/geo", "m/mail", "m/web"} {
				v.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: suite}})
			}
		}
		v.Listen(c.e)
		if got := strings.Join(v.live(now), "\n"); c.want != "" && got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.what, got, c.want)
		}
	}
}

func TestTheAreaWritesOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	a := &area{w: &out}
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{"a", "b"}, "a\nb\n"},
		{[]string{"a", "b"}, ""},
		{[]string{"a", "c", "d"}, "\r\x1b[1A\x1b[Jc\nd\n"},
		{[]string{"a"}, "\r\x1b[2A\x1b[J"},
		{nil, "\r\x1b[1A\x1b[J"},
		{nil, ""},
	} {
		out.Reset()
		if a.draw(c.lines); out.String() != c.want {
			t.Errorf("%q: %q, want %q", c.lines, out.String(), c.want)
		}
	}
}

func TestASilentLogSaysWhatIsRunning(t *testing.T) {
	t.Parallel()
	now := time.Now()
	h := &heart{last: now, done: make(chan struct{})}
	if h.isDue(now.Add(silence-time.Second)) || !h.isDue(now.Add(silence)) || h.isDue(now.Add(silence+time.Second)) {
		t.Error("not once after each silence")
	}
	v := printing(&bytes.Buffer{}, render.Style{})
	v.began, v.at = now, now.Add(30*time.Second)
	v.progress = sdk.Progress{Running: []sdk.RunningTest{{ID: sdk.TestID{Suite: "geo", Test: "TestImport"}, Elapsed: 20 * time.Second}}}
	if got := v.heartbeat(now.Add(90 * time.Second)); got != "… 1:30 geo TestImport running for 1m" {
		t.Error(got)
	}
}

func TestATestsNameAsASentence(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"TestSendsHTTPMail": "Sends HTTP mail", "TestTotal/one_price": "Total: one price", "test_transfer()": "transfer()", "Test": "Test", "TestÄpfelUndBirnen": "Äpfel und birnen",
	} {
		if got := spellOut(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestEachTestIsPrintedOnceHoweverVerbose(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	v := New(Config{Out: &out, Asked: &out, Size: func() (int, int) { return 80, 24 }, Format: byTestName, Style: render.Style{Verbose: true}})
	v.Listen(&api.RunStarted{})
	v.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "m/a", Test: "TestOnce"}, Status: sdk.Passed}}})
	v.Close()
	if n := strings.Count(out.String(), "TestOnce"); n != 1 {
		t.Errorf("%d times:\n%s", n, out.String())
	}
}

func TestASuiteIsNamedInShortFromTheFirst(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	v := printing(&out, render.Style{})
	v.Listen(&api.RunStarted{Run: api.Run{Language: "go", Workspace: "/w"}, SuitePrefixes: []string{"example.com/m"}})
	v.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "example.com/m/doc", Outcome: sdk.SuiteNoTests}})
	v.Listen(&api.RunFinished{})
	if strings.Contains(out.String(), "example.com") {
		t.Errorf("it is named in full:\n%s", out.String())
	}
}
