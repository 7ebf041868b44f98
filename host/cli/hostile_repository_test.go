package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// setTraps are programs at these places of the workspace that leave a trace.
func (w *module) setTraps(names ...string) {
	w.t.Helper()
	if runtime.GOOS == "windows" {
		w.t.Skip("the traps are shell scripts")
	}
	for _, name := range names {
		w.write(files{name: trap})
		if err := os.Chmod(filepath.Join(w.dir, filepath.FromSlash(name)), 0o755); err != nil {
			w.t.Fatal(err)
		}
	}
}

// trapped reports whether a trap was executed, and sets them anew.
func (w *module) trapped() bool { return os.Remove(filepath.Join(w.home, "ran.trap")) == nil }

// Commands that only ask must not execute anything of the workspace: neither we nor a
// tool that we call. The go command asks git for the state of a main package, say, and
// git starts what the repository's configuration names.
func TestAQuestionExecutesNothingThatARepositoryNames(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a.go":          "package a\n\n// F is called.\nfunc F() int {\n\treturn 1\n}\n",
		"a/a_test.go":     tests("a", "TestA", "F()"),
		"cmd/x/main.go":   "package main\n\n//go:generate ./trap\n\nfunc main() {}\n",
		"cmd/x/x_test.go": tests("main", "TestX", pass),
		".gitattributes":  "* filter=x diff=x merge=x\n",
	})
	w.setTraps("trap", "hooks/post-index-change", "hooks/reference-transaction")
	w.commit()
	program := filepath.Join(w.dir, "trap")
	for _, setting := range []string{
		"core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.alternateRefsCommand", "diff.external", "diff.x.command", "diff.x.textconv",
		"filter.x.clean", "filter.x.process", "filter.x.smudge", "gpg.program", "remote.origin.uploadpack",
	} {
		w.git("config", setting, program)
	}
	w.git("config", "core.hooksPath", filepath.Join(w.dir, "hooks"))
	w.write(files{"a/a.go": "package a\n\n// F is called.\nfunc F() int {\n\treturn 2\n}\n"})
	w.trapped() // by the preparations
	for _, call := range []string{"doctor", "run --list", "covering a/a.go:5", "covering --diff", "mcp context", "history"} {
		r := w.proctor(strings.Fields(call)...)
		if w.trapped() {
			t.Errorf("proctor %s executed a program that the repository names: exit %d\n%s%s", call, r.code, r.stdout, r.stderr)
		}
	}
}

// forge asks the compiler for its version to print its configuration, and its
// configuration may name any program for one.
func TestAQuestionExecutesNoCompilerOfTheWorkspace(t *testing.T) {
	t.Parallel()
	w := newFoundry(t, files{
		"foundry.toml": "[profile.default]\nsolc = \"./trap\"\noffline = true\n",
		"test/A.t.sol": "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\ncontract ATest { function testA() public {} }\n",
	})
	w.setTraps("trap")
	for _, call := range []string{"doctor", "run --list", "covering test/A.t.sol:3"} {
		r := w.proctor(strings.Fields(call)...)
		if w.trapped() {
			t.Errorf("proctor %s executed the compiler that foundry.toml names: exit %d\n%s%s", call, r.code, r.stdout, r.stderr)
		}
	}
}
