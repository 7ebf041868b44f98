package testlog_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/plugins/go/internal/testlog"
)

// newWorkspace creates a directory with files, and returns it without symbolic links.
func newWorkspace(t *testing.T, names ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := filepath.Join(root, name)
		mode := os.FileMode(0o644)
		if strings.HasSuffix(name, "program") {
			mode = 0o755
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func readDependence(t *testing.T, place testlog.Place, lines ...string) testlog.Dependence {
	t.Helper()
	got, err := testlog.Depend(strings.NewReader("# test log\n"+strings.Join(lines, "\n")+"\n"), place)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestReadsAreThePathsOfTheWorkspace(t *testing.T) {
	root := newWorkspace(t, "a/testdata/x", "b/y", ".git/HEAD", ".proctor/z", "tmp/t", "own/o")
	place := testlog.Place{
		Root: root, Dir: filepath.Join(root, "a"), Temp: filepath.Join(root, "tmp"), Own: []string{filepath.Join(root, "own")},
	}
	got := readDependence(t, place,
		"getenv HOME",
		"open testdata/x", "open testdata/x", "stat ../missing", "open "+root, "stat .", "stat ..",
		"open ../../outside", "open /etc/passwd",
		"open ../.git/HEAD", "stat ../.proctor/z", "open "+root+"/tmp/t", "open "+root+"/own/o",
		"chdir "+root+"/b", "open y", "stat .",
		"nonsense", "open ", "unknown z",
	)
	want := testlog.Dependence{Reads: []string{".", "a/testdata/x", "b", "b/y", "missing"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dependence differs (-want +got):\n%s", diff)
	}
}

func TestWhatIsOpenKeepsItsDirectory(t *testing.T) {
	root := newWorkspace(t, "a/testdata/x", "b/y")
	place := testlog.Place{Root: root, Dir: filepath.Join(root, "a")}
	got := readDependence(t, place, "stat other", "open testdata/", "open .", "chdir "+root+"/b", "open testdata/x", "stat ./y", "stat other/z", "stat testdatas/x")
	want := []string{"a", "a/other", "a/testdata", "a/testdata/x", "a/y", "b/other/z", "b/testdata/x", "b/testdatas/x", "b/y"}
	if diff := cmp.Diff(want, got.Reads); diff != "" {
		t.Errorf("reads differ (-want +got):\n%s", diff)
	}
}

func TestALogIsCompleteWithItsEnd(t *testing.T) {
	for text, want := range map[string]bool{"": false, "# test log\n": false, "# test log\nopen x\n": false, "# test log\nopen # end\n": false, "# end\n": false, "# test log\n# end\n": true, "# test log\nopen x\n# end\nopen y\n": true} {
		if got := testlog.IsComplete([]byte(text)); got != want {
			t.Errorf("%q is complete: %t", text, got)
		}
	}
}

func TestReadsHaveALinkAndItsTarget(t *testing.T) {
	root := newWorkspace(t, "a/real")
	for link, target := range map[string]string{"a/link": "real", "dir": "a"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "in")
	if err := os.Symlink(root, outside); err != nil {
		t.Fatal(err)
	}
	got := readDependence(t, testlog.Place{Root: root, Dir: root}, "open a/link", "stat dir/missing", "open "+outside+"/a/real")
	if diff := cmp.Diff([]string{"a/link", "a/missing", "a/real", "dir/missing"}, got.Reads); diff != "" {
		t.Errorf("reads differ (-want +got):\n%s", diff)
	}
}

func TestProgramIsAnExecutableFileThatWasOpened(t *testing.T) {
	root := newWorkspace(t, "marked program", "file", "dir/file")
	for name, text := range map[string]string{"script": "#!/bin/sh\n", "linked": "\x7fELF\x02", "resolv.conf": "nameserver ::1\n", "#": "#"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ line, want string }{
		{"open file", ""},
		{"open dir", ""},
		{"open gone", ""},
		{"stat script", ""},
		{"open script", "script"},
		{"open linked", "linked"},
		// Some disks mark every file as executable.
		{"open resolv.conf", ""},
		{"open marked program", ""},
		{"open #", ""},
		{"open /proc/self/exe", "exe"},
		{"open /bin/sh", "sh"},
	} {
		if got := readDependence(t, testlog.Place{Root: root, Dir: root}, test.line); got.Program != test.want {
			t.Errorf("%s: program is %q, want %q", test.line, got.Program, test.want)
		}
	}
}

func TestATestThatOpensItsOwnProgramIsSeenEachTime(t *testing.T) {
	root := newWorkspace(t, "m.test", "other/m.test")
	if err := os.Symlink(root, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	place := testlog.Place{Root: root, Dir: root, Binary: filepath.Join(root, "m.test")}
	got := readDependence(t, place, "open m.test", "open link/m.test", "open m.test", "stat m.test", "open other/m.test")
	if want := (testlog.Dependence{Self: 3, Reads: []string{"m.test", "other/m.test"}}); !cmp.Equal(got, want) {
		t.Errorf("dependence is %+v, want %+v", got, want)
	}
}

func TestOverlayReplacesOnlyALogThatIsKnown(t *testing.T) {
	for _, test := range []struct {
		name, old, new string
		known          bool
	}{
		{"as it is", "", "", true},
		{"another comment", "// Package testlog", "// This package", true},
		{"one more function", "\nfunc Stat(", "\nfunc Link(name string) {}\n\nfunc Stat(", false},
		{"one more result", "func Open(name string) {", "func Open(name string) (err error) {", false},
		{"one more method", "Chdir(dir string)\n", "Chdir(dir string)\n\tLink(name string)\n", false},
		{"not Go", "package testlog", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			from, err := exec.Command("go", "env", "GOROOT").Output()
			if err != nil {
				t.Fatal(err)
			}
			const name = "src/internal/testlog/log.go"
			text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(from)), name))
			if err != nil {
				t.Fatal(err)
			}
			root, dir := newWorkspace(t, name), filepath.Join(t.TempDir(), "testlog")
			testfiles.Write(t, filepath.Join(root, name), strings.Replace(string(text), test.old, test.new, 1))
			if got := testlog.CanReplace(root); got != test.known {
				t.Errorf("it can be replaced: %t", got)
			}
			path, err := testlog.WriteOverlay(dir, root)
			if err != nil {
				t.Fatal(err)
			}
			if data, _ := os.ReadFile(path); string(data) != fmt.Sprintf(`{"Replace":{%q:%q}}`, filepath.Join(root, name), filepath.Join(dir, "log.go")) {
				t.Errorf("the overlay is %s", data)
			}
		})
	}
}

func TestATextThatIsNotALogIsRejected(t *testing.T) {
	for _, text := range []string{"", "open x\n", "# other\nopen x\n", strings.Repeat("x", 100_000)} {
		if _, err := testlog.Depend(strings.NewReader(text), testlog.Place{}); !errors.Is(err, testlog.ErrFormat) {
			t.Errorf("%.20q: error is %v", text, err)
		}
	}
}

func TestTooManyFilesAreReported(t *testing.T) {
	root := newWorkspace(t)
	for _, test := range []struct {
		files int
		want  bool
	}{{100, false}, {20_100, true}} {
		lines := make([]string, test.files)
		for i := range lines {
			lines[i] = fmt.Sprintf("open f%d", i)
		}
		if got := readDependence(t, testlog.Place{Root: root, Dir: root}, lines...); got.TooMany != test.want || len(got.Reads) > 20_010 {
			t.Errorf("of %d files: too many %v, %d read", test.files, got.TooMany, len(got.Reads))
		}
	}
}

// The reads of any log are local paths.
func FuzzDependIsTotal(f *testing.F) {
	f.Add("open x\nchdir /\nopen ../y\nstat \x00\n")
	root, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := testlog.Depend(strings.NewReader("# test log\n"+text), testlog.Place{Root: root, Dir: root, Temp: "/nowhere"})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range got.Reads {
			if !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\n\x00") {
				t.Errorf("read %q", name)
			}
		}
	})
}
