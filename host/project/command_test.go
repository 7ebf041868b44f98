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

// called is a command with a file of this name in its scratch directory.
func called(name string) sdk.Command {
	return sdk.Command{
		Argv: []string{"node", "--reporter=" + sdk.Scratch + "/" + name, "a.mjs"}, Env: map[string]string{"OUT": sdk.Scratch + "/" + name},
		Inputs: []sdk.InputFile{{Name: name, Data: []byte("report")}},
	}
}

func TestCommandsThatDifferInANameOfAnInputFileAreTheSame(t *testing.T) {
	if !IsSameCommand(called("reporter-1a.mjs"), called("reporter-2b.mjs")) {
		t.Error("two names of one file make two commands")
	}
	if IsSameCommand(sdk.Command{Argv: []string{"x", "reporter-1a"}}, sdk.Command{Argv: []string{"x", "reporter-2b"}}) {
		t.Error("names of no file of the command are taken for one")
	}
}

func TestCommandsThatDoSomethingElseAreDifferent(t *testing.T) {
	for name, change := range map[string]func(*sdk.Command){
		"another argument":  func(c *sdk.Command) { c.Argv[2] = "b.mjs" },
		"more arguments":    func(c *sdk.Command) { c.Argv = append(c.Argv, "-x") },
		"another directory": func(c *sdk.Command) { c.Dir = "sub" },
		"another setting":   func(c *sdk.Command) { c.Env["OUT"] = "elsewhere" },
		"fewer settings":    func(c *sdk.Command) { c.Env = nil },
		"a setting removed": func(c *sdk.Command) { c.UnsetEnv = []string{"HOME"} },
		"another content":   func(c *sdk.Command) { c.Inputs[0].Data = []byte("^TestA$") },
		"no file":           func(c *sdk.Command) { c.Inputs = nil },
		"another file of two": func(c *sdk.Command) {
			c.Inputs = append([]sdk.InputFile{{Name: "first", Data: []byte("report")}}, c.Inputs...)
		},
		"parts of tests": func(c *sdk.Command) { c.SelectsInsideTests = true },
	} {
		a, b := called("f"), called("f")
		change(&b)
		if IsSameCommand(a, b) {
			t.Errorf("%s: it is the same command", name)
		}
	}
}
