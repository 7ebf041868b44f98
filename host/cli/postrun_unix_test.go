//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
)

// told is a program that keeps what it is told of a run.
const told = "#!/bin/sh\nenv | grep ^PROCTOR_ | sort >> told\necho \"told $1\"\nexit ${2:-0}\n"

func TestThePostRunCommandFollowsEachRun(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass, "TestB", fail), "tell": told})
	if err := os.Chmod(filepath.Join(w.dir, "tell"), 0o700); err != nil {
		t.Fatal(err)
	}
	run, r := w.object("run", "--post-run-command", "./tell 'it is over'")
	r.expect(t, 1, "told it is over")
	raw, err := os.ReadFile(filepath.Join(w.dir, "told"))
	if err != nil {
		t.Fatal(err)
	}
	got := string(raw)
	for _, want := range []string{"VERDICT=failed", "RUN=" + run.RunID, "PASSED=1", "FAILED=1", "SKIPPED=0", "UNFINISHED=0", "NEVER_STARTED=0", "LANGUAGE=go", "ELAPSED=", "KIND=run"} {
		if !strings.Contains(got, "PROCTOR_"+want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
	w.proctor("rerun", "--post-run-command", "./tell x 7").expect(t, 1, "post-run-command ./tell x 7: it exited with 7")
	w.write(files{"a/a_test.go": tests("a", "TestA", pass, "TestB", pass)})
	w.proctor("rerun", "--post-run-command", "./tell x 7").expect(t, 3, "PASSED", "it exited with 7")
	w.proctor("run", "--post-run-command", "./tell x").expect(t, 0, "told x")
	w.proctor("run", "--post-run-command", "./nothing").expect(t, 2, "post-run-command ./nothing")
	w.proctor("run", "--post-run-command", "./tell 'x").expect(t, 2, "a quotation mark is not closed")
}

// A relative path in the user's file would be a cloned repository's program.
func TestTheUsersFileNamesAPostRunCommand(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass), "tell": told})
	if err := os.Chmod(filepath.Join(w.dir, "tell"), 0o700); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	w.setenv("XDG_CONFIG_HOME=" + folder)
	own := filepath.Join(folder, "proctor", "config.toml")
	if err := os.Mkdir(filepath.Dir(own), 0o700); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]struct {
		code int
		says string
	}{
		filepath.Join(w.dir, "tell") + " x": {0, "told x"},
		"./tell x":                          {3, "must be a plain name or an absolute path"},
		"tell x":                            {3, "was not found"},
	} {
		testfiles.Write(t, own, "[run]\npost-run-command = \""+line+"\"\nformat = \"testdox\"\n")
		w.proctor("run").expect(t, want.code, want.says, "A\n")
	}
	w.write(files{".proctor.toml": "[run]\npost-run-command = \"./tell\"\n"})
	w.proctor("run").expect(t, 2, ".proctor.toml:2: run.post-run-command belongs in the user's own file; a project's file executes nothing")
}
