package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Fault is a mistake in a module, and what leads to it.
type Fault struct {
	// File is slash-separated and relative to the module. It contains Right once, and
	// Wrong not at all.
	File, Right, Wrong string
	// Sign is where a result must point: into the file or, if the test is named and not
	// the source that it tests, to that test.
	Sign string
	// Says is what the result must say there before anybody could know what is wrong.
	Says string
}

// Inject introduces the mistake into the module in dir.
func (f Fault) Inject(dir string) error { return f.replace(dir, f.Right, f.Wrong) }

func (f Fault) mend(dir string) error { return f.replace(dir, f.Wrong, f.Right) }

func (f Fault) replace(dir, old, now string) error {
	path := filepath.Join(dir, filepath.FromSlash(f.File))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := strings.Count(string(text), old); n != 1 {
		return fmt.Errorf("%s contains %q %d times; the fault requires a file that contains it once", path, old, n)
	}
	return os.WriteFile(path, []byte(strings.Replace(string(text), old, now, 1)), 0o644)
}

// seen reports whether a complaint leads to the fault.
func (f Fault) seen(complaint string) bool {
	return strings.Contains(complaint, f.Sign) && strings.Contains(complaint, f.Says)
}
