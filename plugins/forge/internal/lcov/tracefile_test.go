package lcov_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/internal/lcov"
)

func TestReadReturnsHowOftenLinesWereExecuted(t *testing.T) {
	got, err := lcov.Read(strings.NewReader("TN:\nSF:src/A.sol\nDA:9,0\nFN:9,A.f\nDA:10,3,abc\nend_of_record\r\nTN:\nSF:src/B.sol\nDA:1,18446744073709551615\nend_of_record\nSF:src/A.sol\nDA:9,2\nDA:11,1\nend_of_record\n"))
	want := lcov.Tracefile{"src/A.sol": {9: 2, 10: 3, 11: 1}, "src/B.sol": {1: 1<<64 - 1}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestAFileThatIsNotATracefileIsAnError(t *testing.T) {
	for _, text := range []string{
		"SF:a\nDA:1\nend_of_record\n", "SF:a\nDA:0,1\nend_of_record\n", "SF:a\nDA:1,-1\nend_of_record\n", "DA:1,1\n",
		"SF:a\nDA:99999999999,1\nend_of_record\n", "SF:a\nDA:x,1\n", "mode: set\n", "\x00\xff", "SF:" + strings.Repeat("a", 1<<20),
	} {
		if _, err := lcov.Read(strings.NewReader(text)); err == nil {
			t.Errorf("%.60q is read", text)
		}
	}
	if got, err := lcov.Read(strings.NewReader("SF:a\nDA:1,1\n")); !errors.Is(err, lcov.ErrUnended) || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("SF:src/A.sol\nDA:9,0\nDA:9,18446744073709551615\nDA:9,1\nend_of_record\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, _ := lcov.Read(strings.NewReader(text))
		for path, lines := range got {
			for line := range lines {
				if line < 1 {
					t.Fatalf("line %d of %q", line, path)
				}
			}
		}
	})
}
