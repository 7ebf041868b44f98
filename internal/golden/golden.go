package golden

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
)

var update = flag.Bool("update", false, "write the golden files anew")

// IsUpdating reports whether tests write the golden files anew, by -update.
func IsUpdating() bool { return *update }

// Compare compares a text with a golden file, or writes the file if [IsUpdating].
func Compare(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		testfiles.Write(t, path, got)
		return
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.ReplaceAll(string(raw), "\r\n", "\n"); got != want {
		t.Errorf("%s differs; if that is meant, run the test with -update\n%s", path, firstDifference(got, want))
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	at := 0
	for at < min(len(g), len(w)) && g[at] == w[at] {
		at++
	}
	some := func(lines []string) string { return strings.Join(lines[at:min(at+5, len(lines))], "\n     ") }
	return "got  " + some(g) + "\nwant " + some(w)
}

// volatile are the fields of objects that differ from run to run.
var volatile = map[string]any{
	"run_id": "RUN", "since_run_id": "RUN", "last_run_id": "RUN", "first_run_id": "RUN", "prefix": "RUN", "started_at": "TIME", "at": "TIME", "since": "TIME", "version": "VERSION",
	"environment": "ENVIRONMENT", "fingerprint": "STATE", "failed_states": "STATES", "measured_at": "TIME", "commit": "COMMIT",
	"duration_s": 0, "age_s": 0, "bytes": 0,
}

// Mask replaces the volatile fields of a decoded object with placeholders.
func Mask(value any) {
	switch v := value.(type) {
	case map[string]any:
		if output, ok := v["output"].(string); ok && v["kind"] == "panic" {
			// Stacks contain addresses, and line numbers of the Go release.
			v["output"], _, _ = strings.Cut(output, "\n")
		}
		for name, inner := range v {
			if stand, ok := volatile[name]; ok {
				v[name] = stand
			} else {
				Mask(inner)
			}
		}
	case []any:
		for _, inner := range v {
			Mask(inner)
		}
	}
}

// Object returns a masked and indented JSON object.
func Object(raw []byte) (string, error) {
	var object map[string]any
	if err := json.Unmarshal(raw, &object); err != nil {
		return "", err
	}
	Mask(object)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(object)
	return b.String(), err
}

// unsteady lists what varies from run to run in a text, with its placeholders.
var unsteady = []struct {
	pattern *regexp.Regexp
	stand   string
}{
	{regexp.MustCompile(`\b(re)?run [0-9a-z]{10}\b`), "${1}run RUN"},
	{regexp.MustCompile(`(?m)^[0-9a-z]{10}  `), "RUN  "},
	{regexp.MustCompile(`\bruns/[0-9a-z]{10}\b`), "runs/RUN"},
	{regexp.MustCompile(`\bstate [0-9a-f]{8,10}\b`), "state STATE"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d| UTC)?`), "TIME"},
	{regexp.MustCompile(`\b\d+(\.\d+)?(ms|µs|s|m)\b`), "0s"},
}

// Text replaces what varies from run to run in a text with placeholders.
func Text(text string) string {
	for _, u := range unsteady {
		text = u.pattern.ReplaceAllString(text, u.stand)
	}
	return text
}
