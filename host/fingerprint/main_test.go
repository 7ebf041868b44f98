package fingerprint_test

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain checks for leaked goroutines. A step of the property test starts a dozen
// processes, so it makes fewer checks than usual by default.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err)
	}
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			code = 1
		}
	}
	os.Exit(code)
}
