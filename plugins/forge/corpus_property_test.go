package forge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/sdk"
)

// How the output is chunked does not affect the report, and every text is printable.
func TestChunksAndInterleavingChangeNothing(t *testing.T) {
	for _, c := range loadCorpus(t) {
		t.Run(c.Name, func(t *testing.T) {
			f := toFeeding(t, c)
			whole := feedParser(t, f)
			checkTexts(t, whole)
			slices.Sort(whole.Notes)
			for _, size := range []int{1, 7, 4096} {
				if size*300_000 < len(f.stdout) {
					continue
				}
				f.chunk = size
				got := feedParser(t, f)
				slices.Sort(got.Notes)
				if !reflect.DeepEqual(got, whole) {
					t.Errorf("chunks of %d bytes are reported otherwise", size)
				}
			}
		})
	}
}

func checkTexts(t *testing.T, got *observed) {
	t.Helper()
	all, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if !utf8.Valid(all) {
		t.Error("not valid UTF-8")
	}
	for _, f := range got.Failures {
		if f.Kind == "" || f.Message == "" {
			t.Errorf("a failure has no message: %+v", f)
		}
		if strings.ContainsFunc(f.Message+f.Output+f.Diff.Got+f.Diff.Want+fmt.Sprint(f.Attributes), func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }) {
			t.Errorf("control characters in %+v", f)
		}
	}
}

// Output may end anywhere: a failure stays a failure or is missing, no pass is
// invented, and what is missing is reported.
func TestACutHidesNothingAndInventsNothing(t *testing.T) {
	cuts := 20
	if needs.IsWhole() {
		cuts = 40
	}
	for _, c := range loadCorpus(t) {
		t.Run(c.Name, func(t *testing.T) {
			f := toFeeding(t, c)
			whole := feedParser(t, f)
			status := map[sdk.TestID]sdk.Status{}
			for _, r := range whole.Tests {
				status[r.TestID] = r.Status
			}
			if len(status) == 0 || len(f.stdout) > 1<<20 || whole.Damaged > 0 || c.Meta.Edits != nil ||
				strings.HasPrefix(c.Name, "live-logs") { // objects before the document
				return
			}
			all := f.stdout
			f.exit = sdk.Exit{Code: -1, Signal: "SIGKILL"}
			for i := range cuts {
				f.stdout = all[:len(all)*i/cuts]
				got := feedParser(t, f)
				for _, r := range got.Tests {
					if r.Status != status[r.TestID] {
						t.Errorf("cut at %d: %v is %s, of the whole %s", len(f.stdout), r.TestID, r.Status, status[r.TestID])
					}
				}
				if at := bytes.LastIndexByte(f.stdout, '\n') + 1; len(f.stdout) > at && f.stdout[at] == '{' && got.Damaged == 0 && len(got.Suites) < len(whole.Suites) {
					t.Errorf("cut at %d: no damage", len(f.stdout))
				}
				for _, s := range got.Suites {
					if s.Outcome == sdk.SuitePassed && !slices.ContainsFunc(whole.Suites, func(w sdk.SuiteResult) bool { return w.Suite == s.Suite && w.Outcome == s.Outcome }) {
						t.Errorf("cut at %d: %s passed", len(f.stdout), s.Suite)
					}
				}
			}
		})
	}
}

func TestWithoutAWorkspaceNothingIsRead(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile(".env", []byte("FOUNDRY_FFI=true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := feedParser(t, feeding{stdout: []byte(`{"test/A.t.sol:A":{"test_results":{"t()":{"status":"Failure","reason":"x"}}}}`)})
	if len(got.Failures) != 1 || got.Failures[0].Location != (sdk.Location{}) || got.Failures[0].Precision != "" || len(got.Conditions) > 0 {
		t.Errorf("got %+v", got)
	}
}
