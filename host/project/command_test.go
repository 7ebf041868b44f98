package project

import (
	"os"
	"path/filepath"
	"sync"
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

// Two proctors that start at the same time sweep each other's new directories.
func TestAScratchDirectoryThatIsSweptWhileItIsMadeIsMadeAgain(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	cmd := sdk.Command{Inputs: []sdk.InputFile{{Name: "a", Data: []byte("x")}, {Name: "b", Data: []byte("x")}}}
	done := make(chan struct{})
	var sweepers sync.WaitGroup
	for range 2 {
		sweepers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					sweepScratch(temp)
				}
			}
		})
	}
	var made []string
	for range 50 {
		dir, cleanup, err := writeScratch(temp, cmd)
		if err != nil {
			t.Error(err)
			break
		}
		defer cleanup()
		made = append(made, dir)
	}
	close(done)
	sweepers.Wait()
	for _, dir := range made {
		for _, name := range []string{"a", "b", scratchLock} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Errorf("it was swept while it was in use: %v", err)
			}
		}
	}
}
