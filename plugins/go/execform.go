package gotest

import (
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/plugins/go/internal/testexec"
	"github.com/proctorhq/proctor/sdk"
)

// tableFile is the name of the table among a command's inputs.
const tableFile = "tests.json"

// canExec reports whether the plugin's binary can be inserted between the go command
// and the test binaries. It may have been removed since this process started.
func (c *composer) canExec() bool {
	_, quotable := goflags.Quote(c.executable)
	return quotable && isFile(c.executable)
}

// execForm gives each package its own expression: the go command gets one that selects
// nothing, and the plugin's binary replaces it. It also starts the program of the
// user's own -exec.
func (c *composer) execForm(pieces []piece, kind testKind) ([]string, sdk.Command) {
	program, _ := goflags.Quote(c.executable)
	program += " " + ExecCommand
	users := userExec(c.args, c.project.workspace.Env["GOFLAGS"])
	table := testexec.Table{Flag: kind.flag(), Packages: make([]testexec.Package, len(pieces))}
	if users != "" {
		program += " " + users
	} else {
		table.Cross = c.crossProgram()
	}
	for i, p := range pieces {
		table.Packages[i] = testexec.Package{Dir: p.suite.dir, Expr: p.expr}
	}
	data, _ := json.Marshal(table) // a table of texts always marshals
	selecting := []string{"-run", testexec.Placeholder}
	if kind == benchmarks {
		selecting = append(selecting, "-bench", testexec.Placeholder)
	}
	selecting = append(selecting, "-exec", program)
	return append(selecting, c.args.Words(isNotExec)...), sdk.Command{
		Env:    map[string]string{testexec.TableVariable: sdk.Scratch + "/" + tableFile},
		Inputs: []sdk.InputFile{{Name: tableFile, Data: data}},
	}
}

func isNotExec(flag goflags.Flag) bool { return flag.Name != "exec" }

// crossProgram returns the program with which the go command runs binaries for another
// platform if it finds one (go help run); our -exec replaces it.
func (c *composer) crossProgram() string {
	goos, goarch := c.project.workspace.Env["GOOS"], c.project.workspace.Env["GOARCH"]
	if goos == "" {
		goos = runtime.GOOS
	}
	if goarch == "" {
		goarch = runtime.GOARCH
	}
	if goos == runtime.GOOS && goarch == runtime.GOARCH {
		return ""
	}
	return fmt.Sprintf("go_%s_%s_exec", goos, goarch)
}
