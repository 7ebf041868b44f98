package gotest_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	gotest "github.com/proctorhq/proctor/plugins/go"
)

// TestMain lets the test binary stand for the plugin's binary in -exec, and for
// the program of a user's own -exec.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case gotest.ExecCommand:
			os.Exit(gotest.Exec(os.Args[2:]))
		case userProgram:
			os.Exit(runAsUserProgram(os.Args[2:]))
		}
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		sources.remove()
		os.Exit(code)
	}))
}
