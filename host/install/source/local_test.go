package source

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/install/archive"
	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

func TestOnlyThePluginIsCopiedFromADirectory(t *testing.T) {
	p := tap("1.0.0")
	dir := write(t, t.TempDir(), p.files())
	write(t, dir, map[string][]byte{"README.md": []byte("not part of a plugin"), "sub/file": nil})
	s := open(t, scratch(t), dir)
	r := resolve(t, s, p.query("~> 1.0"))
	if h := r.Hashes[here()]; r.Name != "tap" || r.Version != "1.0.0" || h.Archive != "" || h.Bin != hashPrefix+hexOf([]byte(p.binary)) {
		t.Errorf("release %+v", r)
	}
	if f := fetched(t, s, r, p); f.Archive != "" {
		t.Errorf("a directory has the archive %q", f.Archive)
	}
	if err := s.Archive(t.Context(), r, here(), filepath.Join(t.TempDir(), "a")); err == nil || !strings.Contains(err.Error(), "plugin pack") {
		t.Errorf("archive of a directory: %v", err)
	}
}

func TestArchiveIsHashedAndUnpacked(t *testing.T) {
	p := tap("1.0.0")
	data := p.archive(t)
	file := filepath.Join(write(t, t.TempDir(), map[string][]byte{"x.tar.gz": data}), "x.tar.gz")
	s := open(t, scratch(t), file)
	r := resolve(t, s, Query{Platform: here(), Protocols: []int{1, 2}})
	if f := fetched(t, s, r, p); f.Archive != hashPrefix+hexOf(data) || r.Hashes[here()].Archive != f.Archive {
		t.Errorf("archive %q, release %+v", f.Archive, r)
	}
	to := filepath.Join(t.TempDir(), "copy")
	if err := s.Archive(t.Context(), r, here(), to); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(to); err != nil || string(got) != string(data) {
		t.Errorf("the copy differs: %v", err)
	}
}

func TestUnusableLocalPluginIsRefusedWithTheReason(t *testing.T) {
	good := tap("1.0.0")
	lying, foreign, linked := good.files(), plugin{name: "tap", version: "1.0.0", protocols: []int{1}, platform: elsewhere}, good.files()
	lying[manifest.BinaryName("tap", here())] = []byte("another")
	delete(linked, manifest.BinaryName("tap", here()))
	lacking := write(t, t.TempDir(), linked)
	link := write(t, t.TempDir(), linked)
	if err := os.Symlink(write(t, t.TempDir(), good.files())+"/"+manifest.BinaryName("tap", here()), filepath.Join(link, manifest.BinaryName("tap", here()))); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	files := write(t, t.TempDir(), map[string][]byte{
		"bare": []byte("\x7fELF..."), "empty": nil, "lying.tar.gz": packed(t, lying, manifest.BinaryName("tap", here())),
		"cut.tar.gz": good.archive(t)[:40],
	})
	tree := write(t, t.TempDir(), map[string][]byte{index.File: []byte("{}")})
	shelf := write(t, t.TempDir(), good.files())
	shelved := filepath.Join(shelf, archive.Name("tap", "1.0.0", here()))
	if err := errors.Join(os.Remove(filepath.Join(shelf, manifest.BinaryName("tap", here()))), os.WriteFile(shelved, good.archive(t), 0o644)); err != nil {
		t.Fatal(err)
	}
	template := map[string][]byte{manifest.File: []byte(`{"schema":1,"name":"tap","version":"1.0.0","protocols":[1],"detect":{}}`)}
	author := write(t, t.TempDir(), template)
	packs := write(t, t.TempDir(), template)
	dist := write(t, filepath.Join(packs, "dist"), map[string][]byte{index.File: []byte("{}")})
	var plain error
	var corrupt *store.ChecksumError
	var unread *FetchError
	var refusal *archive.RefusedError
	for name, c := range map[string]struct {
		path string
		q    Query
		as   any
		says string
	}{
		"another name":      {write(t, t.TempDir(), good.files()), Query{Name: "forge", Platform: here(), Protocols: []int{1}}, &plain, "and not forge"},
		"constraint":        {write(t, t.TempDir(), good.files()), good.query("~> 2.0"), &plain, "that will do: 1.0.0"},
		"platform":          {write(t, t.TempDir(), foreign.files()), good.query(""), &plain, string(elsewhere)},
		"protocol":          {write(t, t.TempDir(), good.files()), Query{Platform: here(), Protocols: []int{2}}, new(*manifest.ProtocolError), "protocol"},
		"hash in directory": {write(t, t.TempDir(), lying), good.query(""), &corrupt, "manifest.json"},
		"hash in archive":   {files + "/lying.tar.gz", good.query(""), &corrupt, "lying.tar.gz"},
		"truncated":         {files + "/cut.tar.gz", good.query(""), &refusal, "cut.tar.gz"},
		"bare binary":       {files + "/bare", good.query(""), &plain, "--plugin NAME="},
		"empty file":        {files + "/empty", good.query(""), &plain, "plugin pack"},
		"no manifest":       {files, good.query(""), &plain, "plugin pack"},
		"published tree":    {tree, good.query(""), &plain, "proctor plugin install " + FileAddress(filepath.Join(tree, index.File))},
		"a repository":      {author, good.query(""), &plain, "`proctor plugin pack`"},
		"a packed tree":     {packs, good.query(""), &plain, "proctor plugin install " + FileAddress(filepath.Join(dist, index.File))},
		"archives":          {shelf, good.query(""), &plain, "proctor plugin install " + shelved},
		"binary missing":    {lacking, good.query(""), &unread, "does not exist"},
		"binary is a link":  {link, good.query(""), &unread, "link"},
		"nothing there":     {files + "/nothing", good.query(""), &unread, "does not exist"},
		"a device":          {os.DevNull, good.query(""), &unread, "regular"},
		"a bad constraint":  {write(t, t.TempDir(), good.files()), good.query("abc"), new(*manifest.ConstraintError), "abc"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(name, "link") {
				t.Skip("links need a privilege on Windows")
			}
			_, err := open(t, scratch(t), c.path).Resolve(t.Context(), c.q)
			if err == nil || !errors.As(err, c.as) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %T %v, want %T that says %q", err, err, c.as, c.says)
			}
		})
	}
}

func TestLocalPluginThatChangesAfterResolvingIsNotFetched(t *testing.T) {
	p, later := tap("1.0.0"), tap("1.0.0")
	later.binary = "built again"
	dir := write(t, t.TempDir(), p.files())
	s := open(t, scratch(t), dir)
	r := resolve(t, s, p.query(""))
	write(t, dir, later.files())
	if err := refused(t, s, r, here()); !strings.Contains(err.Error(), "changed") {
		t.Error(err)
	}
}

func TestFetchLeavesANonEmptyDirectoryAlone(t *testing.T) {
	p := tap("1.0.0")
	s := open(t, scratch(t), write(t, t.TempDir(), p.files()))
	dir := write(t, t.TempDir(), map[string][]byte{"mine": nil})
	if _, err := s.Fetch(t.Context(), resolve(t, s, p.query("")), here(), dir); err == nil {
		t.Error("no error")
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("the directory now has %q", got)
	}
}

func TestCancelledCopyLeavesNothing(t *testing.T) {
	p := tap("1.0.0")
	s := open(t, scratch(t), write(t, t.TempDir(), p.files()))
	r := resolve(t, s, p.query(""))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if _, err := s.Fetch(ctx, r, here(), dir); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestNameAloneHasNoSource(t *testing.T) {
	if _, err := Open(Config{}, Spec{Kind: Named, Address: "forge"}); err == nil || !strings.Contains(err.Error(), "it is a name") {
		t.Error(err)
	}
	if _, err := Open(Config{}, Spec{}); err == nil {
		t.Error("a specification without kind has a source")
	}
}

func TestAnExistingFileIsNeverWrittenThrough(t *testing.T) {
	p := tap("1.0.0")
	dir := write(t, t.TempDir(), map[string][]byte{"x.tar.gz": p.archive(t), "precious": []byte("old")})
	s := open(t, scratch(t), dir+"/x.tar.gz")
	r := resolve(t, s, p.query(""))
	if err := s.Archive(t.Context(), r, here(), dir+"/precious"); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if got, _ := os.ReadFile(dir + "/precious"); string(got) != "old" {
		t.Errorf("the file is now %q", got)
	}
}
