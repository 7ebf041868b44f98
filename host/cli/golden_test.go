package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/golden"
	"github.com/proctorhq/proctor/internal/testbin"
)

var update = flag.Bool("update", false, "write the golden files anew")

// compareGolden compares with a file in testdata, or writes it with -update.
func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; if that is meant, run the test with -update\n%s", path, firstDifference(string(got), string(want)))
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			return "got:  " + strings.Join(g[i:min(i+5, len(g))], "\n") + "\nwant: " + strings.Join(w[min(i, len(w)):min(i+5, len(w))], "\n")
		}
	}
	return "the end is missing: " + strings.Join(w[len(g):], "\n")
}

// timeoutFlag is what is left for a command: the second one of a rerun has less.
var timeoutFlag = regexp.MustCompile(`-timeout=[0-9a-z.]+`)

// shortCommit is the name of a commit as it stands behind a revision.
var shortCommit = regexp.MustCompile(`\([0-9a-f]{10}\)`)

// normalised is an object printed at length, without what differs from run to
// run and from machine to machine: times, names, the order of packages.
func normalised(t *testing.T, w *module, text string) []byte {
	t.Helper()
	dir, err := filepath.EvalSymlinks(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	text = strings.ReplaceAll(text, strings.Trim(jsonText(t, dir), `"`), "WORKSPACE")
	text = strings.ReplaceAll(text, strings.Trim(jsonText(t, testbin.Dir()), `"`), "BIN")
	text = shortCommit.ReplaceAllString(text, "(COMMIT)")
	text = timeoutFlag.ReplaceAllString(text, "-timeout=T")
	var object map[string]any
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	golden.Mask(object)
	for _, list := range []string{"failures", "results", "requested", "never_started", "unfinished"} {
		if items, ok := object[list].([]any); ok {
			slices.SortStableFunc(items, func(a, b any) int { return strings.Compare(suiteOf(a), suiteOf(b)) })
		}
	}
	out, err := json.MarshalIndent(object, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(out, '\n')
}

func suiteOf(item any) string {
	object, _ := item.(map[string]any)
	suite, _ := object["suite"].(string)
	return suite
}

func jsonText(t *testing.T, text string) string {
	t.Helper()
	raw, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
