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
	// Sign is where a result must point: into the file or, if it names the test rather than
	// the source, to the test.
	Sign string
	// Says is what the result must say for a reader to know what is wrong.
	Says string
}

// Inject introduces the mistake into the module in dir.
func (f Fault) Inject(dir string) error { return f.replace(dir, f.Right, f.Wrong) }

func (f Fault) fix(dir string) error { return f.replace(dir, f.Wrong, f.Right) }

func (f Fault) replace(dir, old, now string) error {
	path := filepath.Join(dir, filepath.FromSlash(f.File))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := strings.Count(string(text), old); n != 1 {
		return fmt.Errorf("%s contains %q %d times, want once", path, old, n)
	}
	return os.WriteFile(path, []byte(strings.Replace(string(text), old, now, 1)), 0o644)
}

// isShownBy reports whether a complaint leads to the fault.
func (f Fault) isShownBy(complaint string) bool {
	return strings.Contains(complaint, f.Sign) && strings.Contains(complaint, f.Says)
}
