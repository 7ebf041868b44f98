package upload

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

func set(names ...string) []sdk.SourceFile {
	var files []sdk.SourceFile
	for _, name := range names {
		files = append(files, sdk.SourceFile{Path: name, Content: []byte(name)})
	}
	return files
}

// refused fails unless err names the file and what is wrong with it.
func refused(t *testing.T, err error, file, says string) {
	t.Helper()
	if e, ok := errors.AsType[*refusedError](err); !ok || e.File != file || e.Fix == "" || !strings.Contains(e.Rule, says) {
		t.Errorf("the error about %q is %v, and should say %q", file, err, says)
	}
}

func TestCheckTakesPlainSets(t *testing.T) {
	for _, names := range [][]string{
		{"a"}, {"a.go", "b.go"}, {"src/A.sol", "test/A.t.sol", "src/B.sol"}, {"a/b", "a/c", "ab"},
		{"ünï.go", "_x.go", "a b.go", "com.go", "com10.go", "console.go", "a..b"},
	} {
		if err := checkFiles(set(names...)); err != nil {
			t.Errorf("%q: %v", names, err)
		}
	}
}

func TestCheckRefusesPathsThatMeanSomethingElse(t *testing.T) {
	for name, says := range map[string]string{
		"":                        "empty",
		"/etc/passwd":             "absolute",
		"../a":                    "..",
		"a/../b":                  "..",
		"a/..":                    "..",
		"..":                      "..",
		".":                       "shortest form",
		"./a":                     "shortest form",
		"a//b":                    "shortest form",
		"a/":                      "shortest form",
		"a/./b":                   "shortest form",
		`a\b`:                     "backslash",
		"a\x00b":                  "control",
		"a\nb":                    "control",
		"a\x1b[2J":                "control",
		"a\u202eb":                "invisible",
		"a\u200b.go":              "invisible",
		"a\u2028b":                "invisible",
		"a\xff":                   "UTF-8",
		".env":                    "hidden",
		"a/.git/config":           "hidden",
		"-x.go":                   "flag",
		"a/-x":                    "flag",
		"c:x":                     "Windows",
		"a?":                      "Windows",
		"a.":                      "dot or a space",
		"a /b":                    "dot or a space",
		"NUL":                     "device",
		"a/con.go":                "device",
		"lpt1":                    "device",
		"COM¹.txt":                "device",
		strings.Repeat("a/", 121): "240 bytes",
		strings.Repeat("a", 121):  "120 bytes",
	} {
		refused(t, checkFiles(append(set("fine"), set(name)...)), name, says)
	}
}

func TestCheckRefusesPathsThatCollide(t *testing.T) {
	for _, c := range []struct {
		names      []string
		file, says string
	}{
		{[]string{"a", "a"}, "a", "twice"},
		{[]string{"a.go", "A.go"}, "A.go", "only in case"},
		{[]string{"ſ.go", "S.go"}, "S.go", "only in case"}, // folds to S
		{[]string{"A/x", "a/y"}, "a/y", "only in case"},
		{[]string{"a", "a/b"}, "a", "directory"},
		{[]string{"A", "a/b"}, "A", "directory"},
		{[]string{"a/b/c", "a/b"}, "a/b", "directory"},
	} {
		refused(t, checkFiles(set(c.names...)), c.file, c.says)
	}
}

func TestCheckBoundsASet(t *testing.T) {
	var many []string
	for i := range maxFiles {
		many = append(many, fmt.Sprint("f", i))
	}
	if err := checkFiles(set(many...)); err != nil {
		t.Error(err)
	}
	refused(t, checkFiles(set(append(many, "x")...)), "", "500")
	refused(t, checkFiles(nil), "", "no files")
	half := make([]byte, sdk.MaxSources/2)
	refused(t, checkFiles([]sdk.SourceFile{{Path: "a", Content: half}, {Path: "b", Content: half}}), "", "2 MiB")
}

// FuzzCheckedPathsStayInside checks that an accepted path is local on this system, and
// can be written.
func FuzzCheckedPathsStayInside(f *testing.F) {
	for _, s := range []string{"a/b.go", "../x", "a/../../x", "C:\\x", "con", "a\x00", "é/ü"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if checkFiles(set(name)) == nil && (!filepath.IsLocal(filepath.FromSlash(name)) || !fs.ValidPath(name)) {
			t.Errorf("%q was accepted", name)
		}
	})
}

func TestReadTakesADirectory(t *testing.T) {
	dir := t.TempDir()
	testfiles.Write(t, filepath.Join(dir, "b", "c.go"), "C")
	testfiles.Write(t, filepath.Join(dir, "a.go"), "A")
	testfiles.Write(t, filepath.Join(dir, ".git", "HEAD"), "left out")
	testfiles.Write(t, filepath.Join(dir, ".proctor", "history.db"), "left out")
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	files, err := readFiles(t.Context(), dir)
	if err != nil || len(files) != 2 || files[0].Path != "a.go" || string(files[0].Content) != "A" || files[1].Path != "b/c.go" {
		t.Errorf("%v: %+v", err, files)
	}
}

func TestReadRefusesWhatADirectoryMustNotHold(t *testing.T) {
	for name, c := range map[string]struct {
		make func(dir string) error
		file string
		says string
	}{
		"link to a file":      {func(dir string) error { return os.Symlink("/etc/passwd", filepath.Join(dir, "l")) }, "l", "symbolic link"},
		"link to a directory": {func(dir string) error { return os.Symlink("/etc", filepath.Join(dir, "l")) }, "l", "symbolic link"},
		"settings": {func(dir string) error {
			return os.MkdirAll(filepath.Join(dir, ".config", "x"), 0o755)
		}, ".config", "hidden"},
		"git below": {func(dir string) error {
			return os.MkdirAll(filepath.Join(dir, "sub", ".git"), 0o755)
		}, "sub/.git", "hidden"},
		"large": {func(dir string) error {
			return os.Truncate(testfiles.Write(t, filepath.Join(dir, "big"), ""), 1<<40)
		}, "", "2 MiB"},
		"many": {func(dir string) error {
			for i := range maxFiles {
				testfiles.Write(t, filepath.Join(dir, fmt.Sprint("f", i)), "")
			}
			return nil
		}, "", "500"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			testfiles.Write(t, filepath.Join(dir, "fine"), "")
			if err := c.make(dir); err != nil {
				t.Fatal(err)
			}
			_, err := readFiles(t.Context(), dir)
			refused(t, err, c.file, c.says)
		})
	}
}

func TestReadTakesAJSONObject(t *testing.T) {
	for _, text := range []string{
		`{"b/c.go": "C", "a.go": "A\n"}`,
		` {"sources": {"a.go": "A\n", "b/c.go": "C"}} `,
	} {
		files, err := readFiles(t.Context(), testfiles.Write(t, filepath.Join(t.TempDir(), "s.json"), text))
		if err != nil || len(files) != 2 || files[0].Path != "a.go" || string(files[0].Content) != "A\n" || files[1].Path != "b/c.go" {
			t.Errorf("%s: %v: %+v", text, err, files)
		}
	}
}

func TestReadRefusesWhatAJSONObjectMustNotBe(t *testing.T) {
	for text, says := range map[string]string{
		``:                                    "cannot be read",
		`[]`:                                  "no object",
		`{`:                                   "cannot be read",
		`{"a": 1}`:                            `content of "a"`,
		`{"a": null}`:                         `content of "a"`,
		`{"a": {"b": "c"}}`:                   `content of "a"`,
		`{"sources": []}`:                     `content of "sources"`,
		`{"sources": {}, "sources": {}}`:      `content of "sources"`,
		`{"sources": {"sources": {}}}`:        `content of "sources"`,
		`{"sources": {"a": ""}, "b": ""}`:     `beside "sources"`,
		`{"sources": {"a": ""}, "filter": 1}`: `content of "filter"`,
		`{"a": ""} {"b": ""}`:                 "goes on",
		"{\"a\": \"\xff\"}":                   "UTF-8",
		`{}`:                                  "no files",
		strings.Repeat(`{"sources":`, 100000): "sources",
	} {
		_, err := readFiles(t.Context(), testfiles.Write(t, filepath.Join(t.TempDir(), "s.json"), text))
		refused(t, err, "", says)
	}
	_, err := readFiles(t.Context(), testfiles.Write(t, filepath.Join(t.TempDir(), "s.json"), `{"a": "1", "a": "2"}`))
	refused(t, err, "a", "twice")
	_, err = readFiles(t.Context(), testfiles.Write(t, filepath.Join(t.TempDir(), "s.txt"), `{}`))
	refused(t, err, "", "neither")
	if _, err = readFiles(t.Context(), filepath.Join(t.TempDir(), "nowhere")); !isRefused(err) {
		t.Errorf("%v", err)
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	testfiles.Write(t, filepath.Join(dir, "a"), "")
	if _, err := readFiles(ctx, dir); !errors.Is(err, context.Canceled) || isRefused(err) {
		t.Errorf("%v", err)
	}
}

func newDir(t *testing.T) *workDir {
	t.Helper()
	d, err := newWorkDir(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestADirIsOnlyForItsUser(t *testing.T) {
	d := newDir(t)
	if st, err := os.Stat(d.path); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o700 {
		t.Errorf("%v: %v", err, st.Mode())
	}
}

func TestWritePutsFilesAroundSourcesAndReplacesNone(t *testing.T) {
	d := newDir(t)
	if err := d.write(set("a/b.go"), set("go.mod"), []string{"lib"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a/b.go", "go.mod"} {
		if got, err := os.ReadFile(filepath.Join(d.workspace(), filepath.FromSlash(name))); err != nil || string(got) != name {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	refused(t, newDir(t).write(set("GO.mod"), set("go.mod"), nil), "go.mod", "plugin makes")
	refused(t, newDir(t).write(set("a/b"), set("a"), nil), "a", "directory")
	refused(t, newDir(t).write(set("lib/x"), nil, []string{"lib"}), "lib", "directory")
	if err := newDir(t).write(nil, set("../x"), nil); err == nil {
		t.Error("a file was written outside")
	}
	d = newDir(t)
	if err := os.Symlink(t.TempDir(), filepath.Join(d.workspace(), "out")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := d.write(set("out/x"), nil, nil); err == nil {
		t.Error("a file was written through a link that leads outside")
	}
}

func TestRemoveRemovesWhatTestsMadeHardToRemove(t *testing.T) {
	d := newDir(t)
	outside := testfiles.Write(t, filepath.Join(t.TempDir(), "precious"), "")
	closed := filepath.Join(d.workspace(), "closed", "deeper")
	testfiles.Write(t, filepath.Join(closed, "f"), "")
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(closed, "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for _, dir := range []string{closed, filepath.Dir(closed)} {
		if err := os.Chmod(dir, 0); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := d.remove(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Lstat(d.path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}

func TestWhatKilledRunsLeftIsRemovedAfterADay(t *testing.T) {
	parent := t.TempDir()
	old := time.Now().Add(-25 * time.Hour)
	for name, age := range map[string]time.Time{"proctor-upload-old": old, "proctor-upload-new": time.Now(), "other": old} {
		dir := filepath.Join(parent, name)
		testfiles.Write(t, filepath.Join(dir, "f"), "")
		if err := os.Chtimes(dir, age, age); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := newWorkDir(t.Context(), parent); err != nil {
		t.Fatal(err)
	}
	for name, there := range map[string]bool{"proctor-upload-old": false, "proctor-upload-new": true, "other": true} {
		if _, err := os.Stat(filepath.Join(parent, name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestErrorsAreOneLineWhateverTheNameIs(t *testing.T) {
	long := strings.Repeat("ü", 300)
	for _, name := range []string{long, "x" + long} {
		if text := checkFiles(set(name)).Error(); strings.Contains(text, `\x`) || !strings.Contains(text, `ü..."`) {
			t.Errorf("a name is cut within a letter: %s", text)
		}
	}
	err := checkFiles(set("a\n\x1b[31m" + strings.Repeat("x", 300)))
	if text := err.Error(); strings.ContainsAny(text, "\n\x1b") || len(text) > 500 {
		t.Errorf("%q", text)
	}
	if _, jerr := json.Marshal(err.Error()); jerr != nil {
		t.Error(jerr)
	}
}
