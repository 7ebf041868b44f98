package host

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

func TestScratchDirectoriesThatNobodyHoldsAreRemoved(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	cmd := sdk.Command{Inputs: []sdk.InputFile{{Name: "reporter.js", Data: []byte("x")}}}
	held, cleanup, err := writeScratch("", cmd)
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(temp, "proctor-scratch-left")
	fresh := filepath.Join(temp, "proctor-scratch-fresh")
	for _, path := range []string{filepath.Join(left, scratchLock), filepath.Join(left, "reporter.js"), filepath.Join(fresh, "reporter.js")} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, other, err := writeScratch("", cmd); err != nil {
		t.Fatal(err)
	} else {
		defer other()
	}
	for path, want := range map[string]bool{left: false, fresh: true, filepath.Join(held, "reporter.js"): true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	cleanup()
	if _, err := os.Stat(held); err == nil {
		t.Error("it is left behind at the end of its command")
	}
}
