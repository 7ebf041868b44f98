package forge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/sdk"
)

// listed takes a listing.
type listed struct {
	suites map[string][]string
	lines  map[string]int
	errors []string
}

func (l *listed) Suite(s sdk.ListedSuite) {
	l.suites[s.Suite] = []string{}
	for _, test := range s.Tests {
		l.suites[s.Suite] = append(l.suites[s.Suite], test.Name)
		l.lines[s.Suite+"/"+test.Name] = test.Location.Line
	}
	slices.Sort(l.suites[s.Suite])
}

func (l *listed) Error(text string) { l.errors = append(l.errors, text) }

// list lists by the real forge.
func (l *live) list(req sdk.ListRequest) *listed {
	l.t.Helper()
	req.Workspace = l.ws
	plan, err := l.detector.ListCmd(l.t.Context(), req)
	if err != nil || len(plan.Commands) != 1 {
		l.t.Fatalf("%d commands, error %v", len(plan.Commands), err)
	}
	got := l.execute(plan.Commands[0])
	sink := &listed{suites: map[string][]string{}, lines: map[string]int{}}
	p := l.detector.ParseList(l.t.Context(), req, plan.Commands[0], sink)
	for chunk := range slices.Chunk(got.Stdout, 7) {
		p.Write(sdk.Stdout, chunk)
	}
	p.Write(sdk.Stderr, got.Stderr)
	p.Close(sdk.Exit{Code: got.Code})
	return sink
}

func TestAListingNamesEverySignatureThatRuns(t *testing.T) {
	l := newLive(t, traps())
	got := l.list(sdk.ListRequest{RunnerArgs: []string{"--mt", "none", "--fail-fast", "test/none.sol", "-vv", "--fuzz-seed", "1"}})
	statuses, _, _ := l.run(sdk.TestRequest{})
	want := map[string][]string{}
	for _, id := range ids(statuses) {
		want[id.Suite] = append(want[id.Suite], id.Name)
	}
	if diff := cmp.Diff(want, got.suites); diff != "" || len(got.errors) > 0 {
		t.Errorf("listing differs from what runs (-run +listed), errors %q:\n%s", got.errors, diff)
	}
	if line := got.lines["test/A.t.sol:ATest/test_x(uint256)"]; line != 6 {
		t.Errorf("the overload is in line %d", line)
	}
}

func TestAListingIsNarrowedByTheSelection(t *testing.T) {
	l := newLive(t, traps())
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

func TestWhatCannotBeListedIsAnError(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		says  string
	}{
		"compile error":   {map[string]string{"test/A.t.sol": contract("ATest test_a()") + "contract {\n"}, "2314"},
		"broken settings": {map[string]string{"foundry.toml": "["}, "foundry.toml"},
		"no tests":        {map[string]string{"test/A.t.sol": contract("A a()")}, ""},
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

func TestNamesWithoutAKnownSignatureAreAnError(t *testing.T) {
	sink := &listed{suites: map[string][]string{}, lines: map[string]int{}}
	p := newDetector().ParseList(t.Context(), sdk.ListRequest{}, sdk.Command{}, sink)
	p.Write(sdk.Stdout, []byte("Compiling...\n{\"test/A.t.sol\":{\"A\":[\"test_a\",\"test_a\"]}}\n"))
	p.Close(sdk.Exit{})
	if len(sink.errors) != 1 || !strings.Contains(sink.errors[0], "test_a") || len(sink.suites) != 1 {
		t.Errorf("errors %q, suites %v", sink.errors, sink.suites)
	}
}

func FuzzListOutputNeverPanics(f *testing.F) {
	f.Add([]byte(`{"a":{"B":["c","c"]}}`+"\n"), uint8(3))
	f.Add([]byte("null\n{}\n{\"a\":null}"), uint8(1))
	d := newDetector()
	f.Fuzz(func(t *testing.T, output []byte, chunk uint8) {
		read := func(size int) *listed {
			sink := &listed{suites: map[string][]string{}, lines: map[string]int{}}
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

func TestAListingLeavesWhatItCompiledForTheRerun(t *testing.T) {
	l := newLive(t, traps())
	l.list(sdk.ListRequest{})
	_, plan := l.rerun(sdk.RerunRequest{Targets: []sdk.TestID{
		{Suite: "test/A.t.sol:ATestMore", Name: "test_z()"}, {Suite: "test/B.t.sol:BTest", Name: "test_y()"},
	}})
	if len(plan.Commands) != 1 {
		t.Errorf("%d commands", len(plan.Commands))
	}
	forgetest.Write(t, l.ws.Root, "test/B.t.sol", contract("BTest test_x() test_y() test_z()"))
	_, plan = l.rerun(sdk.RerunRequest{Targets: []sdk.TestID{
		{Suite: "test/A.t.sol:ATestMore", Name: "test_z()"}, {Suite: "test/B.t.sol:BTest", Name: "test_y()"},
	}})
	if len(plan.Commands) != 2 {
		t.Errorf("%d commands after a change that the compiled contracts do not know", len(plan.Commands))
	}
}
