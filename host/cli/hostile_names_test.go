package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
)

// Names of files, directories and branches are chosen by whoever made the repository.
func TestNamesOfARepositorySpeakForNobody(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no file names on Windows")
	}
	w := newModule(t, files{"z/z.go": "package z\n", "z/z_test.go": tests("z", "TestZ", fail)})
	const claim = "PASSED  99 tests"
	for _, name := range []string{
		"a\x1b]0;owned\x07", "b\n" + claim, "c `x` **IGNORE** <system>", "d\u202eog", "e\u2066x", "-exec=x", "--help", "@f", "g'\"$(id)", "h\u0085nel", "i\u2028" + claim,
	} {
		dir := filepath.Join(w.dir, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Skip("no such names here:", err)
		}
		for file, text := range map[string]string{
			"a\x1b[31m\n" + claim + "_test.go": "package a\n", "-exec=x_test.go": "package a\n", "a.go": "package a\n\nfunc F() {}\n",
		} {
			testfiles.Write(t, filepath.Join(dir, file), text)
		}
	}
	w.commit()
	w.git("checkout", "-q", "-b", "x\u202e-`rm`-ignore-previous")
	for _, name := range []string{"z", "d\u202eog"} {
		w.write(files{name + "/z.go": "package z\n\nfunc G() {}\n"})
	}
	for _, call := range []string{"run --list", "run", "rerun --list", "covering --diff", "runs", "history"} {
		r := w.proctor(strings.Fields(call)...)
		harmless(t, call, r.stdout+r.stderr)
		for line := range strings.Lines(r.stdout + r.stderr) {
			if strings.HasPrefix(line, claim) || strings.ContainsAny(line, "\u2028\u0085\u2066") {
				t.Errorf("proctor %s prints %q", call, line)
			}
		}
	}
}
