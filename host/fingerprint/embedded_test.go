package fingerprint_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// The files of a bare repository can be committed to another one: git takes such a
// directory for a repository, with its configuration.
func TestARepositoryAmongTheSourcesHasNothingExecuted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("the program of this test is a script for a Unix shell; the commands that git gets are the same everywhere")
		return
	}
	r := newRepo(t)
	r.write("sub/a.txt", "a")
	r.git("init", "-q", "--bare", "sub")
	mark, script := filepath.Join(filepath.Dir(r.dir), "mark"), filepath.Join(filepath.Dir(r.dir), "program")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"$0 $*\" >> '"+mark+"'\ncat\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	const config = "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\n"
	r.write("sub/config", config)
	r.at("sub").commit()
	r.write("sub/info/attributes", "* filter=x\n")
	r.write("sub/config", config+"fsmonitor = "+script+"\n[filter \"x\"]\nclean = "+script+"\nprocess = "+script+"\n")
	r.write("sub/a.txt", "b")
	// Only .git makes a repository, as for anyone who looks at the sources.
	if s := r.at("sub").take(); s.State.Kind != "walk" || s.State.Commit != "" {
		t.Errorf("it counts as a repository: kind %s, commit %s", s.State.Kind, s.State.Commit)
	}
	if raw, err := os.ReadFile(mark); err == nil {
		t.Errorf("executed:\n%s", raw)
	}
	// The trap works: git itself falls into it.
	r.at("sub").tryGit("status")
	if _, err := os.Stat(mark); err != nil {
		t.Error("git status did not run the program: this test proves nothing")
	}
}
