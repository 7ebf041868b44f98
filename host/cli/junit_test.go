package cli

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"testing"
)

// junitTotals are the figures of a report that a command wrote.
type junitTotals struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
}

func TestAJUnitReportIsWrittenWhateverTheVerdict(t *testing.T) {
	t.Parallel()
	w := newModule(t, mixed())
	file := filepath.Join(t.TempDir(), "report.xml")
	for _, tc := range []struct {
		args []string
		code int
		want junitTotals
	}{
		// bad and crash have three failed tests; TestAfter never started, broken does not build.
		{[]string{"run"}, 1, junitTotals{Tests: 12, Failures: 3, Errors: 2}},
		{[]string{"run", "-p", "./good"}, 0, junitTotals{Tests: 5}},
		{[]string{"run", "-f", "NoSuchTest", "-p", "./good"}, 4, junitTotals{Tests: 1, Errors: 1}},
		{[]string{"run", "--lang", "cobol"}, 2, junitTotals{Tests: 1, Errors: 1}},
	} {
		w.proctor(append(tc.args, "--junit", file)...).expect(t, tc.code)
		var got junitTotals
		if data, err := os.ReadFile(file); err != nil || xml.Unmarshal(data, &got) != nil || got != tc.want {
			t.Errorf("%q: %+v, want %+v, %v\n%s", tc.args, got, tc.want, err, data)
		}
	}
	w.proctor("run", "-p", "./good", "--junit", filepath.Join(file, "x")).expect(t, 3, "was not written")
	w.proctor("run", "-p", "./bad", "--junit", filepath.Join(file, "x")).expect(t, 1, "was not written")
}
