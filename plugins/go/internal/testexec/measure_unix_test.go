//go:build unix

package testexec_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/proctorhq/proctor/plugins/go/internal/testexec"
	"github.com/proctorhq/proctor/sdk"
)

// writeMeasurement writes the table of a measurement in one directory.
func writeMeasurement(t *testing.T, dir string) (setting, path string) {
	t.Helper()
	setting = writeTable(t, testexec.Table{
		Packages: []testexec.Package{{Dir: dir, Suite: "p"}},
		Measure:  &testexec.Measure{Root: dir, DeadlineMillis: time.Hour.Milliseconds()},
	})
	_, path, _ = strings.Cut(setting, "=")
	return setting, path
}

func TestNothingIsMeasuredWhenTheProgramIsEnded(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			if sig == syscall.SIGKILL && runtime.GOOS != "linux" {
				t.Skip("only Linux ends a child with its parent")
			}
			dir := t.TempDir()
			setting, path := writeMeasurement(t, dir)
			p := startIn(t, dir, setting)
			if err := p.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			status, output := p.wait(t)
			_, err := testexec.ReadMeasured(path, 0)
			if missing, ok := errors.AsType[*testexec.NotMeasuredError](err); !ok || !missing.Begun {
				t.Errorf("ended with %v, error %v: %s", status, err, output)
			}
		})
	}
}

func TestNothingIsStartedWhenTheTimeIsOver(t *testing.T) {
	dir := t.TempDir()
	setting, path := writeMeasurement(t, dir)
	past := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	got := callMain(t, dir, []string{setting}, testBinary(t), asBinary, "-test.v=test2json")
	if got.code == 0 || got.stdout != "" || !strings.Contains(got.stderr, "no time is left for the index") {
		t.Errorf("%+v", got)
	}
	measured, err := testexec.ReadMeasured(path, 0)
	if err != nil || measured.Granularity != sdk.CoverageNone || !measured.Cut || !strings.Contains(measured.Why, "before its tests ran") {
		t.Errorf("%+v, error %v", measured, err)
	}
}

func TestAPackageThatWasNotStartedIsDistinguished(t *testing.T) {
	_, path := writeMeasurement(t, t.TempDir())
	_, err := testexec.ReadMeasured(path, 0)
	if missing, ok := errors.AsType[*testexec.NotMeasuredError](err); !ok || missing.Begun {
		t.Errorf("error is %v", err)
	}
}

func TestBinaryWithoutAProfileEndsAsItIsAndIsNotMeasured(t *testing.T) {
	dir := t.TempDir()
	setting, path := writeMeasurement(t, dir)
	got := callMain(t, dir, []string{setting, "EXIT_CODE=7"}, testBinary(t), asBinary, "-test.v=test2json", "-x")
	if got.code != 7 || !strings.Contains(got.stdout, `"-test.v=test2json" "-x"], table inherited: false`) {
		t.Errorf("%+v", got)
	}
	if strings.Count(got.stdout, "args ") != 1 {
		t.Errorf("output of a run alone is seen: %s", got.stdout)
	}
	measured, err := testexec.ReadMeasured(path, 0)
	if err != nil || measured.Suite != "p" || measured.Granularity != sdk.CoverageNone || measured.Cut || measured.Why != "no coverage profile was left: exit status 7" {
		t.Errorf("%+v, error %v", measured, err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "coverage", "*")); err != nil || len(left) != 1 {
		t.Errorf("left behind: %q, error %v", left, err)
	}
}

func TestATestThatHangsLeavesTimeForTheOthers(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), t.TempDir()
	const budget = 1200 * time.Millisecond
	setting := writeTable(t, testexec.Table{
		Packages: []testexec.Package{{Dir: dir, Suite: "p"}, {Dir: other, Suite: "q"}},
		Measure:  &testexec.Measure{Root: dir, DeadlineMillis: budget.Milliseconds(), TimeoutMillis: time.Hour.Milliseconds()},
	})
	_, path, _ := strings.Cut(setting, "=")
	if got := callMain(t, dir, []string{setting}, testBinary(t), asHanging, "-test.v=test2json"); got.code == 0 {
		t.Errorf("%+v", got)
	}
	measured, err := testexec.ReadMeasured(path, 0)
	var limit time.Duration
	if text, is := strings.CutPrefix(measured.Why, "TestHanging did not end within "); is {
		limit, _ = time.ParseDuration(text)
	}
	if err != nil || !measured.Cut || limit <= 0 || limit > budget/2 {
		t.Errorf("%+v, error %v; want a limit of at most %s", measured, err, budget/2)
	}
}
