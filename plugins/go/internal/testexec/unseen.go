package testexec

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/plugins/go/internal/oscalls"
	"github.com/proctorhq/proctor/plugins/go/internal/profile"
	"github.com/proctorhq/proctor/sdk"
)

// unseen finds, in what a run executed, the calls that the log of package testing does
// not fully describe.
type unseen struct {
	sources oscalls.Sources
	// blocks are those of such calls, among the first known ones.
	blocks []callBlock
	known  int
}

type callBlock struct {
	number int
	call   oscalls.Call
}

// newUnseen finds Go: the go command puts its own directory first in the PATH of tests.
func newUnseen(env []string) unseen {
	goroot, _ := takeVariable(env, "GOROOT")
	path, _ := takeVariable(env, "PATH")
	for _, dir := range filepath.SplitList(path)[:min(1, len(filepath.SplitList(path)))] {
		if parent := filepath.Dir(dir); filepath.IsAbs(dir) && isGoroot(parent) {
			goroot = parent
		}
	}
	return unseen{sources: oscalls.Sources{Goroot: goroot}}
}

func isGoroot(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, "src", oscalls.Package))
	return err == nil && info.IsDir()
}

// calls returns those that a run made.
func (u *unseen) calls(blocks *profile.Numbering, executed sdk.BlockSet) map[oscalls.Call]bool {
	for ; u.known < blocks.Len(); u.known++ {
		if call := u.sources.CallAt(blocks.Begin(u.known)); call != 0 {
			u.blocks = append(u.blocks, callBlock{u.known, call})
		}
	}
	made := map[oscalls.Call]bool{}
	for _, block := range u.blocks {
		if executed.Has(block.number) {
			made[block.call] = true
		}
	}
	return made
}

// explainCalls says why a test's dependencies are unknown, by the calls made before the
// first test and those of the test; empty if they are known.
func explainCalls(start, test ran) string {
	switch {
	case start.calls[oscalls.Other] || test.calls[oscalls.Other]:
		return "the sources of Go's package os were not found, so it is unknown whether it starts another program"
	case start.calls[oscalls.Start]:
		return "another program is started before the first test of the suite, and what that reads is unknown"
	case test.calls[oscalls.Start] && test.depends.Program == "" && test.depends.Self > 0:
		return "it may start its own program, and what that reads then is unknown"
	case test.calls[oscalls.Start] || test.depends.Program != "":
		return "it may start another program: " + cmp.Or(test.depends.Program, "one that is gone")
	case test.depends.Self > 0:
		return "it reads its own program, which is another one after each edit"
	case start.calls[oscalls.Link] || start.calls[oscalls.ReadLink] || start.calls[oscalls.Open] && !test.early:
		return "files may be read before the first test of the suite, and which ones is unknown"
	case test.calls[oscalls.Link] || test.calls[oscalls.ReadLink]:
		return "it makes or reads links, and what is read through them is unknown"
	}
	return ""
}
