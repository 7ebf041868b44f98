package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// A test has its user's rights, and so can do to the record whatever it likes while
// it runs. The run stays what it was, and no later answer calls it green.
func TestWhatATestDoesToTheRecordHidesNoFailure(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the tests call a shell")
	}
	for name, script := range map[string]string{
		"puts a link in its place":   "mv .proctor .gone && ln -s .gone .proctor",
		"turns failures into passes": "sed -i.old s/fail/pass/g .proctor/runs/*/*",
		"damages the history":        "dd if=/dev/zero of=.proctor/history.db bs=4096 seek=1 count=10 conv=notrunc",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := "exec.Command(\"/bin/sh\", \"-c\", `cd .. && " + script + "`).Run()\n\t" + fail
			source := strings.Replace(tests("a", "TestA", body, "TestB", pass), `"os"`, "\"os\"\n\t\"os/exec\"", 1)
			w := newModule(t, files{"a/a_test.go": source})
			run, r := w.object("run")
			if run.Verdict != api.Failed || r.code != exitFailed || run.Outstanding == 0 {
				t.Errorf("verdict %s, exit %d, %d outstanding", run.Verdict, r.code, run.Outstanding)
			}
			for _, call := range []string{"rerun --list", "failures", "runs show"} {
				if r := w.proctor(strings.Fields(call)...); strings.Contains(r.stdout, "nothing is outstanding") || strings.Contains(r.stdout, "PASSED") || strings.Contains(r.stdout, "no failures") {
					t.Errorf("proctor %s after it, exit %d:\n%s%s", call, r.code, r.stdout, r.stderr)
				}
			}
		})
	}
}

// A file planted where a record belongs is neither waited for nor written through.
func TestWhatIsPlantedInPlaceOfTheRecordIsNotFollowed(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no pipes in directories here")
	}
	const precious = "precious"
	for name, kind := range map[string]string{"history.db": "pipe", "sessions/e2e.json": "link"} {
		t.Run(name+" "+kind, func(t *testing.T) {
			t.Parallel()
			w := newModule(t, files{"a/a_test.go": tests("a", "TestA", fail), "precious": precious})
			path := filepath.Join(w.dir, ".proctor", filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			var err error
			if kind == "pipe" {
				err = exec.Command("mkfifo", path).Run()
			} else {
				err = os.Symlink(filepath.Join(w.dir, "precious"), path)
			}
			if err != nil {
				t.Skip("it cannot be made here:", err)
			}
			w.proctor("run").expect(t, exitFailed, "FAILED  1 test")
			for _, call := range []string{"failures", "rerun --list", "history"} {
				w.proctor(strings.Fields(call)...) // must not wait
			}
			if raw, err := os.ReadFile(filepath.Join(w.dir, "precious")); err != nil || string(raw) != precious {
				t.Errorf("what it led to holds %q, %v", raw, err)
			}
		})
	}
}
