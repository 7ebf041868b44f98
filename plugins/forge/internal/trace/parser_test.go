package trace

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
	"github.com/proctorhq/proctor/sdk"
)

// places collects what a parser reports.
type places struct {
	sdk.Sink // only failures may be reported
	got      map[sdk.TestID]sdk.Failure
}

func (p *places) Failure(f sdk.Failure) {
	if _, ok := p.got[f.TestID]; ok {
		panic("reported twice: " + f.Test)
	}
	p.got[f.TestID] = f
}

func configOf(root string) Config {
	return Config{
		Root:      root,
		Artifacts: artifact.Config{Root: root, Out: "located/out", CachePath: "located/cache"},
		Libs:      []string{"lib"},
	}
}

// locateFailures reads a document in pieces of the given lengths, the last of which
// repeats.
func locateFailures(t testing.TB, cfg Config, document []byte, lengths ...int) map[sdk.TestID]sdk.Failure {
	t.Helper()
	sink := &places{got: map[sdk.TestID]sdk.Failure{}}
	p := NewParser(t.Context(), cfg, sink)
	for len(document) > 0 {
		n := min(lengths[0], len(document))
		p.Write(sdk.Stdout, document[:n])
		document = document[n:]
		if len(lengths) > 1 {
			lengths = lengths[1:]
		}
	}
	p.Close(sdk.Exit{Code: 1})
	return sink.got
}

// failedTests returns the failed tests of a document, without fixtures.
func failedTests(t testing.TB, document []byte) []sdk.TestID {
	t.Helper()
	var suites map[string]struct {
		Tests map[string]struct {
			Status string `json:"status"`
		} `json:"test_results"`
	}
	if err := json.Unmarshal(document, &suites); err != nil {
		t.Fatal(err)
	}
	var failed []sdk.TestID
	for suite, s := range suites {
		for name, test := range s.Tests {
			if test.Status == "Failure" && name != "setUp()" {
				failed = append(failed, sdk.TestID{Suite: suite, Test: name})
			}
		}
	}
	return failed
}

// copyRecorded copies the recorded project into a directory and returns the document that
// forge printed. See testdata/README.md.
func copyRecorded(t testing.TB) (root string, document []byte) {
	t.Helper()
	root = t.TempDir()
	if err := os.CopyFS(root, os.DirFS(filepath.Join("testdata", "project"))); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join("testdata", "recorded.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(packed); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, filepath.FromSlash(header.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	document, err = os.ReadFile(filepath.Join(root, "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	return root, document
}

func TestRecordedFailuresAreLocatedAtTheirMarks(t *testing.T) {
	root, document := copyRecorded(t)
	n := readMarks(t, root).check(t, failedTests(t, document), locateFailures(t, configOf(root), document, 32<<10))
	if n < 20 {
		t.Errorf("only %d failures were located", n)
	}
}

func TestStackGoesFromTheOriginToTheTest(t *testing.T) {
	root, document := copyRecorded(t)
	f := locateFailures(t, configOf(root), document, 1<<20)[sdk.TestID{Suite: "test/Kinds.t.sol:KindsTest", Test: "testLibraryThroughContract()"}]
	var functions []string
	for _, frame := range f.Stack {
		functions = append(functions, frame.Location.File+" "+frame.Function)
	}
	want := []string{"src/Maths.sol half", "src/Bank.sol inner", "src/Bank.sol half", "test/Kinds.t.sol testLibraryThroughContract"}
	if !slices.Equal(functions, want) {
		t.Errorf("the stack is %q, want %q", functions, want)
	}
}

func TestChunksChangeNothing(t *testing.T) {
	root, document := copyRecorded(t)
	cfg := configOf(root)
	want := locateFailures(t, cfg, document, len(document))
	if len(want) == 0 {
		t.Fatal("nothing was located")
	}
	r := rand.New(rand.NewPCG(1, 2))
	var random []int
	for range 2000 {
		random = append(random, 1+r.IntN(1+r.IntN(3000)))
	}
	for name, lengths := range map[string][]int{"bytes": {1}, "sevens": {7}, "pipes": {4096}, "random": random} {
		if got := locateFailures(t, cfg, document, lengths...); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d located, want %d", name, len(got), len(want))
		}
	}
}

func TestOnlyTargetsAreLocated(t *testing.T) {
	root, document := copyRecorded(t)
	cfg := configOf(root)
	one := sdk.TestID{Suite: "test/Ds.t.sol:DsTest", Test: "testDsTwo()"}
	cfg.Targets = []sdk.TestID{one, {Suite: "test/Ds.t.sol:DsTest", Test: "testGone()"}}
	if got := locateFailures(t, cfg, document, 4096); len(got) != 1 || got[one].TestID != one {
		t.Errorf("located %v", got)
	}
	cfg.Targets = []sdk.TestID{{Suite: "test/Ds.t.sol:DsTest"}}
	if got := locateFailures(t, cfg, document, 4096); len(got) < 2 {
		t.Errorf("%d tests of the suite were located", len(got))
	}
}

func TestOtherLinesDoNotMatter(t *testing.T) {
	root, document := copyRecorded(t)
	cfg := configOf(root)
	want := locateFailures(t, cfg, document, 4096)
	noise := "Compiling 3 files\n{\"timestamp\": 1, \"metrics\": {\"a\": [1]}}\n[1,2\n{\"a\n{\"test/x.sol:X\": {\"test_results\": {\"testX()\": 7}}}\n"
	mixed := slices.Concat([]byte(noise), document, []byte("\n"+noise), document)
	if got := locateFailures(t, cfg, mixed, 4096); !reflect.DeepEqual(got, want) {
		t.Errorf("%d located, want %d", len(got), len(want))
	}
}

func TestTestsBeforeACutAreLocated(t *testing.T) {
	root, document := copyRecorded(t)
	cfg := configOf(root)
	want := locateFailures(t, cfg, document, 4096)
	for _, part := range []int{10, 50, 90, 99} {
		got := locateFailures(t, cfg, document[:len(document)*part/100], 4096)
		for id, f := range got {
			if !reflect.DeepEqual(f, want[id]) {
				t.Errorf("%d%%: %v was located at %v", part, id, f.Location)
			}
		}
		if part == 90 && len(got) < len(want)/2 {
			t.Errorf("%d%%: %d were located of %d", part, len(got), len(want))
		}
	}
}

func TestOptimizedCodeIsNotLocated(t *testing.T) {
	root, document := copyRecorded(t)
	changed := 0
	err := filepath.WalkDir(filepath.Join(root, "located", "out"), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, off := range []string{`\"optimizer\":{\"enabled\":false`, `"optimizer":{"enabled":false`} {
			on := strings.Replace(off, "false", "true", 1)
			changed += bytes.Count(data, []byte(off))
			data = bytes.ReplaceAll(data, []byte(off), []byte(on))
		}
		return os.WriteFile(path, data, 0o644)
	})
	if err != nil || changed == 0 {
		t.Fatalf("%d artifacts changed: %v", changed, err)
	}
	if got := locateFailures(t, configOf(root), document, 4096); len(got) > 0 {
		t.Errorf("%d were located in optimized code", len(got))
	}
}

func TestChangedSourcesAreNotLocated(t *testing.T) {
	root, document := copyRecorded(t)
	path := filepath.Join(root, "test", "Ds.t.sol")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append([]byte("// one more line\n"), text...), 0o644); err != nil {
		t.Fatal(err)
	}
	for id, f := range locateFailures(t, configOf(root), document, 4096) {
		if strings.HasPrefix(f.Location.File, "test/Ds.t.sol") {
			t.Errorf("%v was located in a source that changed after it was compiled", id)
		}
	}
}

func TestNothingIsLocatedWithoutArtifacts(t *testing.T) {
	root, document := copyRecorded(t)
	if err := os.RemoveAll(filepath.Join(root, "located")); err != nil {
		t.Fatal(err)
	}
	if got := locateFailures(t, configOf(root), document, 4096); len(got) > 0 {
		t.Errorf("%d were located", len(got))
	}
}

func TestTestsThatPassedOrUsedUpTheirGasAreNotLocated(t *testing.T) {
	root, document := copyRecorded(t)
	cfg := configOf(root)
	id := sdk.TestID{Suite: "test/Kinds.t.sol:KindsTest", Test: "testPanicAssert()"}
	cfg.Targets = []sdk.TestID{id}
	if len(locateFailures(t, cfg, document, 4096)) != 1 {
		t.Fatal("the failure is not located even in the unchanged document")
	}
	test := bytes.Index(document, []byte(`"testPanicAssert()":`))
	execution := test + bytes.Index(document[test:], []byte(`["Execution",`))
	for _, edit := range []struct {
		from     int
		old, new string
	}{
		{test, `"status":"Failure"`, `"status":"Success"`},
		{test, `"reason":"panic: assertion failed (0x01)"`, `"reason":"EvmError: OutOfGas"`},
		{test, `"kind":{"Unit":{"gas":`, `"kind":{"Unit":{"gas":9999`},
		{execution, `"gas_used":`, `"gas_used":9999`},
	} {
		edited := slices.Concat(document[:edit.from], bytes.Replace(document[edit.from:], []byte(edit.old), []byte(edit.new), 1))
		if bytes.Equal(edited, document) {
			t.Fatalf("no %s", edit.old)
		}
		if got := locateFailures(t, cfg, edited, 4096); len(got) > 0 {
			t.Errorf("with %s it was located", edit.new)
		}
	}
}

// Nightly builds print the calls of other invariants after those of the test.
func TestFailedCallsOfOtherTestsAreNotLocated(t *testing.T) {
	root, document := copyRecorded(t)
	small := slimDocument(t, document, "test/Ds.t.sol:DsTest", "testDsFail()")
	if len(locateFailures(t, configOf(root), small, 100)) != 1 {
		t.Fatal("the failure is not located even in the unchanged document")
	}
	other := bytes.Replace(small, []byte("testDsFail()"), []byte("testDsTwo()"), 1)
	if got := locateFailures(t, configOf(root), other, 100); len(got) > 0 {
		t.Errorf("located %v", got)
	}
}

func TestCodeThatIsNotTheContractsIsNotLocated(t *testing.T) {
	root, document := copyRecorded(t)
	small := slimDocument(t, document, "test/Ds.t.sol:DsTest", "testDsFail()")
	for old, new := range map[string]string{
		`{"pc":2,"op":96}`:  `{"pc":2,"op":97}`,
		`{"pc":2,"op":96},`: `{"pc":2,"op":96},{"pc":1,"op":96},`,
	} {
		edited := bytes.Replace(small, []byte(old), []byte(new), 1)
		if bytes.Equal(edited, small) {
			t.Fatalf("no %s", old)
		}
		if got := locateFailures(t, configOf(root), edited, 100); len(got) > 0 {
			t.Errorf("with %s it was located", new)
		}
	}
}
