package forge_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/sdk"
)

// listed collects a listing.
type listed struct {
	suites map[string][]string
	lines  map[string]int
	errors []string
	needs  map[string][]string
	opaque map[string]string
	parts  map[string]sdk.ListedPart
}

func (l *listed) Part(p sdk.ListedPart) { l.parts[p.Name] = p }

func (l *listed) Suite(s sdk.ListedSuite) {
	l.suites[s.Suite] = []string{}
	l.needs[s.Suite], l.opaque[s.Suite] = s.Needs, s.Opaque
	for _, test := range s.Tests {
		l.suites[s.Suite] = append(l.suites[s.Suite], test.Name)
		l.lines[s.Suite+"/"+test.Name] = test.Location.Line
	}
	slices.Sort(l.suites[s.Suite])
}

func (l *listed) Error(text string) { l.errors = append(l.errors, text) }

func newListed() *listed {
	return &listed{
		suites: map[string][]string{}, lines: map[string]int{},
		needs: map[string][]string{}, opaque: map[string]string{}, parts: map[string]sdk.ListedPart{},
	}
}

// list lists with the real forge.
func (l *live) list(req sdk.ListRequest) *listed {
	l.t.Helper()
	req.Workspace = l.ws
	plan, err := l.detector.ListCmd(l.t.Context(), req)
	if err != nil || len(plan.Commands) != 1 {
		l.t.Fatalf("%d commands, error %v", len(plan.Commands), err)
	}
	got := l.execute(plan.Commands[0])
	sink := newListed()
	p := l.detector.ParseList(l.t.Context(), req, plan.Commands[0], sink)
	for chunk := range slices.Chunk(got.Stdout, 7) {
		p.Write(sdk.Stdout, chunk)
	}
	p.Write(sdk.Stderr, got.Stderr)
	p.Close(sdk.Exit{Code: got.Code})
	return sink
}

func TestAListingNamesEverySignatureThatRuns(t *testing.T) {
	l := newLive(t, trapSources())
	got := l.list(sdk.ListRequest{RunnerArgs: []string{"--fail-fast", "-vv", "--fuzz-seed", "1"}})
	statuses, _, _ := l.run(sdk.TestRequest{})
	want := map[string][]string{}
	for _, id := range testIDs(statuses) {
		want[id.Suite] = append(want[id.Suite], id.Test)
	}
	if diff := cmp.Diff(want, got.suites); diff != "" || len(got.errors) > 0 {
		t.Errorf("listing differs from what runs (-run +listed), errors %q:\n%s", got.errors, diff)
	}
	if line := got.lines["test/A.t.sol:ATest/test_x(uint256)"]; line != 6 {
		t.Errorf("the overload is in line %d", line)
	}
}

func TestAListingIsNarrowedByTheSelection(t *testing.T) {
	l := newLive(t, trapSources())
	for _, test := range []struct {
		name      string
		selection sdk.Selection
		want      map[string][]string
	}{
		{"a name of a suite", sdk.Selection{Suites: []string{"test/B.t.sol:Test", "gone:X"}}, map[string][]string{"test/B.t.sol:Test": {"test_y()"}}},
		{"one overload", sdk.Selection{SuitePattern: "^BTest$", TestPattern: `\(uint256\)`}, map[string][]string{"test/B.t.sol:BTest": {"test_x(uint256)"}}},
		{"a path", sdk.Selection{PathPattern: "test/b/*"}, map[string][]string{"test/b/A.t.sol:ATest": {"test_x()", "test_y()"}}},
		{"nothing", sdk.Selection{TestPattern: "nothing_is_named_so"}, map[string][]string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := l.list(sdk.ListRequest{Selection: test.selection})
			if diff := cmp.Diff(test.want, got.suites); diff != "" || len(got.errors) > 0 {
				t.Errorf("listing differs (-want +got), errors %q:\n%s", got.errors, diff)
			}
		})
	}
}

// Tests that a run's arguments leave out were not supposed to start, and are nothing
// new to a rerun of it.
func TestAListingIsNarrowedLikeARunWithTheSameArguments(t *testing.T) {
	l := newLive(t, trapSources())
	for name, args := range map[string][]string{
		"a contract": {"--mc", "^BTest$"}, "no such contract": {"--no-match-contract", "^BTest$"}, "a test": {"--match-test=y"},
		"one overload": {"--mt", `\(uint256\)`}, "no such overload": {"--nmt", `x\(uint256\)`}, "a path": {"--match-path", "test/b/*"},
		"no such path": {"--nmp", "test/b/*"}, "a path by itself": {"test/B.t.sol"}, "not in Go's syntax": {"--mt", "x++"},
	} {
		t.Run(name, func(t *testing.T) {
			got := l.list(sdk.ListRequest{RunnerArgs: args, Selected: true})
			statuses, _, _ := l.run(sdk.TestRequest{RunnerArgs: args})
			want := map[string][]string{}
			for _, id := range testIDs(statuses) {
				want[id.Suite] = append(want[id.Suite], id.Test)
			}
			if diff := cmp.Diff(want, got.suites); diff != "" || len(got.errors) > 0 || len(want) == 0 {
				t.Errorf("listing differs from what runs (-run +listed), errors %q:\n%s", got.errors, diff)
			}
		})
	}
}

func TestFiltersOfARunDoNotHideTestsThatExist(t *testing.T) {
	l := newLive(t, trapSources())
	want := l.list(sdk.ListRequest{}).suites
	got := l.list(sdk.ListRequest{RunnerArgs: []string{"--mt", "none", "--nmc", "B", "test/none.sol"}})
	if diff := cmp.Diff(want, got.suites); diff != "" || len(got.errors) > 0 {
		t.Errorf("under arguments (-all +listed), errors %q:\n%s", got.errors, diff)
	}
	forgetest.Write(t, l.ws.Root, "foundry.toml", forgetest.Config+
		"match_path = 'none'\nno_match_path = 'test/*'\nmatch_contract = 'none'\nno_match_contract = '.'\nmatch_test = 'none'\nno_match_test = '.'\n")
	l.setenv()
	got = l.list(sdk.ListRequest{})
	if diff := cmp.Diff(want, got.suites); diff != "" || len(got.errors) > 0 {
		t.Errorf("under settings (-all +listed), errors %q:\n%s", got.errors, diff)
	}
	got = l.list(sdk.ListRequest{Selection: sdk.Selection{PathPattern: "test/b/*", SuitePattern: "A", TestPattern: "y"}})
	if diff := cmp.Diff(map[string][]string{"test/b/A.t.sol:ATest": {"test_y()"}}, got.suites); diff != "" || len(got.errors) > 0 {
		t.Errorf("with a selection (-want +got), errors %q:\n%s", got.errors, diff)
	}
	if got = l.list(sdk.ListRequest{Selected: true}); len(got.suites) > 0 || len(got.errors) > 0 {
		t.Errorf("what would run: %v, errors %q", got.suites, got.errors)
	}
}

func TestWhatCannotBeListedIsAnError(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		says  string
	}{
		"compile error":   {map[string]string{"test/A.t.sol": contractSource("ATest test_a()") + "contract {\n"}, "failed: test/A.t.sol:6: Expected identifier but got '{'"},
		"compile errors":  {map[string]string{"test/A.t.sol": "contract A { uint x = 's'; uint y = 's'; }"}, "(and 1 more error)"},
		"broken settings": {map[string]string{"foundry.toml": "["}, "foundry.toml"},
		"no tests":        {map[string]string{"test/A.t.sol": contractSource("A a()")}, ""},
		"no sources":      {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := newLive(t, test.files).list(sdk.ListRequest{})
			said := strings.Join(got.errors, "\n")
			if (said != "") != (test.says != "") || !strings.Contains(said, test.says) || len(got.suites) > 0 {
				t.Errorf("errors %q, suites %v; want %q", said, got.suites, test.says)
			}
		})
	}
}

func TestTestsBehindLinksAreListed(t *testing.T) {
	l := newLive(t, map[string]string{
		"foundry.toml":  forgetest.Config + "test = '" + filepath.Join(newOutsideDir(t), "spec") + "'\n",
		"real/A.t.sol":  contractSource("ATest test_x() test_x(uint256)"),
		"shared/B.sol":  contractSource("BTest test_y()"),
		"src/README.md": "",
	})
	for link, target := range map[string]string{"src/A.t.sol": "../real/A.t.sol", "src/all": "../shared"} {
		if err := os.Symlink(target, filepath.Join(l.ws.Root, link)); err != nil {
			t.Fatal(err)
		}
	}
	statuses, _, _ := l.run(sdk.TestRequest{})
	want := map[string][]string{}
	for _, id := range testIDs(statuses) {
		want[id.Suite] = append(want[id.Suite], id.Test)
	}
	got := l.list(sdk.ListRequest{})
	if diff := cmp.Diff(want, got.suites); diff != "" || len(got.errors) > 0 || len(want) != 3 {
		t.Errorf("listing differs from what runs (-run +listed), errors %q:\n%s", got.errors, diff)
	}
	for _, id := range testIDs(statuses) {
		if ran, _ := l.rerun(sdk.RerunRequest{Targets: []sdk.TestID{id}}); len(ran) != 1 || ran[id] != 1 {
			t.Errorf("a rerun of %v runs %v", id, ran)
		}
	}
}

// newOutsideDir returns a directory of tests outside of any project.
func newOutsideDir(t *testing.T) string {
	t.Helper()
	return forgetest.Project(t, map[string]string{"spec/C.t.sol": contractSource("CTest test_z()")})
}

func TestNamesWithoutAKnownSignatureAreAnError(t *testing.T) {
	sink := newListed()
	p := newDetector().ParseList(t.Context(), sdk.ListRequest{}, sdk.Command{}, sink)
	p.Write(sdk.Stdout, []byte("Compiling...\n{\"test/A.t.sol\":{\"A\":[\"test_a\",\"test_a\"]}}\n"))
	p.Close(sdk.Exit{})
	if len(sink.errors) != 1 || !strings.Contains(sink.errors[0], "test_a") || len(sink.suites) != 0 {
		t.Errorf("errors %q, suites %v", sink.errors, sink.suites)
	}
}

func FuzzListOutputNeverPanics(f *testing.F) {
	f.Add([]byte(`{"a":{"B":["c","c"]}}`+"\n"), uint8(3))
	f.Add([]byte("null\n{}\n{\"a\":null}"), uint8(1))
	d := newDetector()
	f.Fuzz(func(t *testing.T, output []byte, chunk uint8) {
		read := func(size int) *listed {
			sink := newListed()
			p := d.ParseList(t.Context(), sdk.ListRequest{}, sdk.Command{}, sink)
			for piece := range slices.Chunk(output, size) {
				p.Write(sdk.Stdout, piece)
			}
			p.Close(sdk.Exit{})
			return sink
		}
		if diff := cmp.Diff(read(1<<20), read(int(chunk)+1), cmp.AllowUnexported(listed{})); diff != "" {
			t.Errorf("chunks change the result (-whole +pieces):\n%s", diff)
		}
	})
}

func TestARerunUsesWhatAListingCompiled(t *testing.T) {
	l := newLive(t, trapSources())
	l.list(sdk.ListRequest{})
	_, plan := l.rerun(sdk.RerunRequest{Targets: []sdk.TestID{
		{Suite: "test/A.t.sol:ATestMore", Test: "test_z()"}, {Suite: "test/B.t.sol:BTest", Test: "test_y()"},
	}})
	if len(plan.Commands) != 1 {
		t.Errorf("%d commands", len(plan.Commands))
	}
	forgetest.Write(t, l.ws.Root, "test/B.t.sol", contractSource("BTest test_x() test_y() test_z()"))
	_, plan = l.rerun(sdk.RerunRequest{Targets: []sdk.TestID{
		{Suite: "test/A.t.sol:ATestMore", Test: "test_z()"}, {Suite: "test/B.t.sol:BTest", Test: "test_y()"},
	}})
	if len(plan.Commands) != 2 {
		t.Errorf("%d commands after a change that the compiled contracts do not know", len(plan.Commands))
	}
}
