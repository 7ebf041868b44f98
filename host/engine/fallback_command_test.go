package engine

import (
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// called is a command with a file of this name in its scratch directory.
func called(name string) sdk.Command {
	return sdk.Command{
		Argv: []string{"node", "--reporter=" + sdk.Scratch + "/" + name, "a.mjs"}, Env: map[string]string{"OUT": sdk.Scratch + "/" + name},
		Inputs: []sdk.InputFile{{Name: name, Data: []byte("report")}},
	}
}

func TestWhatAFileIsCalledMakesNoOtherCommand(t *testing.T) {
	if !sameCommand(called("reporter-1a.mjs"), called("reporter-2b.mjs")) {
		t.Error("two names of one file make two commands")
	}
	if sameCommand(sdk.Command{Argv: []string{"x", "reporter-1a"}}, sdk.Command{Argv: []string{"x", "reporter-2b"}}) {
		t.Error("names of no file of the command are taken for one")
	}
}

func TestWhatACommandDoesMakesAnotherCommand(t *testing.T) {
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
		if sameCommand(a, b) {
			t.Errorf("%s: it is the same command", name)
		}
	}
}
