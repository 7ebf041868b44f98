package gotest_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

func TestIndexReadsTheCountersOfTestsThatRunAlone(t *testing.T) {
	ws := newModule(t, files{
		"m.go": `package m

func WithProfile() { println() }

func WithCounters() { println() }

func InChild() { println() }
`,
		"m_test.go": `package m

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("CHILD") != "" {
		InChild()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestArguments(t *testing.T) {
	if strings.Contains(strings.Join(os.Args, " "), "-test.coverprofile=") {
		WithProfile()
	} else {
		WithCounters()
	}
}

// TestChild starts the test binary as another program.
func TestChild(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CHILD=1")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
}

// TestLoses removes what an earlier process said about its counters.
func TestLoses(t *testing.T) {
	for _, arg := range os.Args {
		if dir, is := strings.CutPrefix(arg, "-test.gocoverdir="); is {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestNothing(t *testing.T) {}
`,
	})
	found, ran := measureSuites(t, ws, sdk.IndexRequest{}, suiteM)
	suite := found.suites[suiteM]
	if suite.Granularity != sdk.CoveragePerTest {
		t.Fatalf("%+v %q\n%s", suite, found.errors, ran.text)
	}
	for name, want := range map[string]string{"TestArguments": "m.go:5", "TestChild": "m.go:7", "TestNothing": ""} {
		if got := startLines(suite, findTest(t, suite, name).Blocks); got != want {
			t.Errorf("%s executes %q, want %q", name, got, want)
		}
	}
	if lost := findTest(t, suite, "TestLoses"); !strings.Contains(lost.Opaque, "what it executes alone is unknown") {
		t.Errorf("%+v, although its counters are lost", lost)
	}
	// Together the tests left no profile, because of TestLoses.
	if got, want := startLines(suite, suite.Whole), "m.go:5 m.go:7"; got != want {
		t.Errorf("all execute %q, want %q", got, want)
	}
}
