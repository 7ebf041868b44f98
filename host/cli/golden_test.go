package cli

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/golden"
	"github.com/proctorhq/proctor/internal/testbin"
)

// timeoutFlag is what is left for a command: the second one of a rerun has less.
var timeoutFlag = regexp.MustCompile(`-timeout=[0-9a-z.]+`)

// shortCommit is the name of a commit as it stands behind a revision.
var shortCommit = regexp.MustCompile(`\([0-9a-f]{10}\)`)

// normalized is an object printed at length, without what differs from run to
// run and from machine to machine: times, names, the order of packages.
func normalized(t *testing.T, w *module, text string) string {
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
	return string(out) + "\n"
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
