package lock

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// later is a lock file of a later proctor with the same schema.
var later = strings.NewReplacer(
	"  \"plugins\": {\n", "  \"modules\": {\n    \"b\": [\n      1.50,\n      \"<&>\"\n    ]\n  },\n  \"plugins\": {\n",
	`"module_sum"`, "\"attested\": true,\n      \"module_sum\"",
).Replace(text)

// rewrite replaces the content of a lock file.
func rewrite(t *testing.T, path string, f File) error {
	t.Helper()
	return Change(t.Context(), path, func(old *File) error {
		*old = f.clone()
		return nil
	})
}

func TestAMissingFileIsEmpty(t *testing.T) {
	f, err := Read(filepath.Join(t.TempDir(), "none", ProjectFile))
	if err != nil || f.Schema != schema || f.Comment != projectComment || f.Plugins == nil || len(f.Plugins) != 0 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestANewFileIsReadableByAllAndARewrittenOneKeepsItsMode(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ProjectFile)
	f, err := parse(path, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []fs.FileMode{newMode, 0o600, 0o664} {
		if mode != newMode {
			if err := errors.Join(os.Chmod(path, mode), rewrite(t, path, File{})); err != nil {
				t.Fatal(err)
			}
		}
		if err := rewrite(t, path, f); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != mode {
			t.Errorf("the mode is %v, not %v, %v", info.Mode(), mode, err)
		}
	}
	if got := contentOf(t, path); got != text {
		t.Errorf("%s", got)
	}
	onlyFile(t, dir, ProjectFile)
}

func TestFieldsOfALaterProctorAreKept(t *testing.T) {
	path := put(t, t.TempDir(), ProjectFile, later)
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	forge := f.Plugins["forge"]
	forge.Version = "0.3.2"
	f.Plugins["forge"] = forge
	if err := rewrite(t, path, f); err != nil {
		t.Fatal(err)
	}
	got := contentOf(t, path)
	for _, kept := range []string{`"attested": true`, "\"modules\": {\n    \"b\": [\n      1.50,\n      \"<&>\"\n    ]\n  }", `"version": "0.3.2"`} {
		if !strings.Contains(got, kept) {
			t.Errorf("%s is lost:\n%s", kept, got)
		}
	}
	if _, err := parse(path, []byte(got)); err != nil {
		t.Error(err)
	}
	delete(f.Plugins, "tap")
	if err := rewrite(t, path, f); err != nil {
		t.Error(err)
	}
	if strings.Contains(contentOf(t, path), "attested") {
		t.Error("a field of a plugin that was removed is left")
	}
}

func TestAnEntryThatIsNotUnderstoodIsNotChanged(t *testing.T) {
	inHashes := strings.Replace(text, `"bin": "sha256:`, `"size": 7, "bin": "sha256:`, 1)
	for field, content := range map[string]string{"plugins.tap.attested": later, "plugins.forge.hashes.linux_amd64.size": inHashes} {
		path := put(t, t.TempDir(), ProjectFile, content)
		f, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		for name, entry := range f.Plugins {
			entry.Version = "9.9.9"
			f.Plugins[name] = entry
		}
		err = rewrite(t, path, f)
		if err == nil || !strings.Contains(err.Error(), field+" is of a later proctor") {
			t.Errorf("%v", err)
		}
		if contentOf(t, path) != content {
			t.Error("the file was changed")
		}
	}
}

func TestAnInvalidLockFileIsNotWritten(t *testing.T) {
	dir := t.TempDir()
	path := put(t, dir, ProjectFile, text)
	for name, entry := range map[string]Entry{
		"../x": {Version: "1.0.0", Source: "local:/x"},
		"x":    {Version: "latest", Source: "local:/x"},
		"y":    {Version: "1.0.0", Source: "local:/x\n"},
	} {
		err := rewrite(t, path, File{Schema: schema, Plugins: map[string]Entry{name: entry}})
		if _, ok := errors.AsType[*Error](err); !ok {
			t.Errorf("%s was written: %v", name, err)
		}
	}
	if contentOf(t, path) != text {
		t.Error("the file was changed")
	}
	onlyFile(t, dir, ProjectFile)
}

func TestAFileThatCannotBeReadIsNotReplaced(t *testing.T) {
	for name, content := range map[string]string{"damaged": text[:200], "of a later schema": `{"schema": 2}`, "in conflict": "<<<<<<< a\n"} {
		path := put(t, t.TempDir(), ProjectFile, content)
		if err := rewrite(t, path, File{}); err == nil || contentOf(t, path) != content {
			t.Errorf("a file that is %s was replaced: %v", name, err)
		}
	}
}

func TestAnIrregularFileIsNeitherReadNorReplaced(t *testing.T) {
	dir := t.TempDir()
	target := put(t, dir, "elsewhere", text)
	link := filepath.Join(dir, ProjectFile)
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no links here:", err)
	}
	folder := filepath.Join(dir, UserFile)
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	dangling := filepath.Join(dir, "dangling")
	if err := os.Symlink(filepath.Join(dir, "nothing"), dangling); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, folder, dangling} {
		if _, err := Read(path); err == nil {
			t.Errorf("%s was read", path)
		}
		err := Change(t.Context(), path, func(f *File) error { f.Comment = "changed"; return nil })
		if _, ok := errors.AsType[*Error](err); !ok {
			t.Errorf("%s was written: %v", path, err)
		}
	}
	if _, err := Read(link); !strings.Contains(err.Error(), "symbolic link") {
		t.Error(err)
	}
	if contentOf(t, target) != text {
		t.Error("what a link leads to was changed")
	}
}

func TestOnlyAProjectsLockFileAsksToBeCommitted(t *testing.T) {
	for name, want := range map[string]string{ProjectFile: projectComment, UserFile: userComment} {
		path := filepath.Join(t.TempDir(), name)
		err := Change(t.Context(), path, func(f *File) error {
			f.Plugins["tap"] = Entry{Version: "1.0.0", Source: "local:/x"}
			return nil
		})
		if f, readErr := Read(path); err != nil || readErr != nil || f.Comment != want {
			t.Errorf("%s: %q, %v, %v", name, f.Comment, err, readErr)
		}
	}
}
