package archive

import (
	"archive/tar"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestRegularFilesAreUnpackedAndOnlyABinaryIsExecutable(t *testing.T) {
	entries := []entry{
		{name: "./", tar: tar.Header{Typeflag: tar.TypeDir}, mode: fs.ModeDir | 0o777},
		{name: "./manifest.json", content: "{}", tar: tar.Header{Mode: 0o777}, mode: 0o777},
		{name: program, content: "program", tar: tar.Header{Mode: 0o4600, Uid: 1234}, mode: fs.ModeSetuid | 0o600},
		{name: "LICENSE"},
	}
	for format, data := range map[string][]byte{"tar.gz": tarGzOf(t, entries...), "zip": zipOf(t, entries...)} {
		path, dir := place(t, data)
		if err := Unpack(t.Context(), path, dir); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		want := map[string]string{"manifest.json": "{}", program: "program", "LICENSE": ""}
		if diff := cmp.Diff(want, filesIn(t, dir)); diff != "" {
			t.Errorf("%s: %s", format, diff)
		}
		for name, mode := range map[string]fs.FileMode{"manifest.json": 0o644, program: 0o755, "LICENSE": 0o644} {
			info, err := os.Lstat(filepath.Join(dir, name))
			if err != nil || runtime.GOOS != "windows" && info.Mode() != mode {
				t.Errorf("%s: %s has the mode %v, want %v; %v", format, name, info.Mode(), mode, err)
			}
		}
	}
}

func TestWhatTheSystemsOwnTarPacksIsUnpacked(t *testing.T) {
	own, err := exec.LookPath("tar")
	if err != nil {
		t.Skip("there is no tar on this machine")
	}
	base := t.TempDir()
	for _, name := range []string{"manifest.json", program, "LICENSE"} {
		testfiles.Write(t, filepath.Join(base, name), name)
	}
	path, dir := place(t, nil)
	cmd := exec.CommandContext(t.Context(), own, "-C", base, "-czf", path, ".")
	cmd.Env = append(os.Environ(), "COPYFILE_DISABLE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := Unpack(t.Context(), path, dir); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(filesIn(t, base), filesIn(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestASparseFileOfGNUTarIsRefused(t *testing.T) {
	path, dir := place(t, nil)
	base := t.TempDir()
	holes, err := os.Create(filepath.Join(base, "holes"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(holes.Truncate(1<<20), holes.Close()); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "tar", "-C", base, "--sparse", "--format=gnu", "-czf", path, "holes")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("there is no GNU tar on this machine: %v: %s", err, out)
	}
	checkRefused(t, "a sparse file", Unpack(t.Context(), path, dir), path, "it is a sparse file")
}

func TestACancelledUnpackingEndsAndLeavesNothing(t *testing.T) {
	for format, data := range map[string][]byte{"tar.gz": tarGzOf(t, files("a", "b")...), "zip": zipOf(t, files("a", "b")...)} {
		path, dir := place(t, data)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := Unpack(ctx, path, dir); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", format, err)
		}
		if left := filesIn(t, dir); len(left) != 0 {
			t.Errorf("%s: left behind: %v", format, left)
		}
	}
}

func TestUnpackingDoesNotOverwrite(t *testing.T) {
	path, dir := place(t, tarGzOf(t, files("a", "LICENSE")...))
	outside := filepath.Join(filepath.Dir(dir), "outside")
	testfiles.Write(t, outside, "mine")
	if err := os.Symlink(outside, filepath.Join(dir, "LICENSE")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := Unpack(t.Context(), path, dir); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if got, err := os.ReadFile(outside); string(got) != "mine" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if left := filesIn(t, dir); len(left) != 1 {
		t.Errorf("only the link should be left: %v", left)
	}
}

func TestAMissingArchiveIsNotARejection(t *testing.T) {
	path, dir := place(t, tarGzOf(t, files("a")...))
	var refused *RefusedError
	if err := Unpack(t.Context(), path+".gone", dir); !errors.Is(err, fs.ErrNotExist) || errors.As(err, &refused) {
		t.Error(err)
	}
	if err := Unpack(t.Context(), path, dir+".gone"); !errors.Is(err, fs.ErrNotExist) || errors.As(err, &refused) {
		t.Error(err)
	}
}
