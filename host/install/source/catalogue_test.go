package source

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// mirror makes an index in a directory, and returns its address.
func mirror(t *testing.T, files map[string][]byte) (dir, address string) {
	t.Helper()
	dir = write(t, t.TempDir(), files)
	slashed := filepath.ToSlash(dir)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed
	}
	return dir, "file://" + slashed + "/" + index.File
}

func TestMirrorInADirectoryServesOffline(t *testing.T) {
	p, other := tap("1.1.0"), tap("1.1.0")
	other.platform = elsewhere
	files := published(t, tap("1.0.0"), p, other, tap("2.0.0"))
	files["index.json.minisig"], files["minisign.pub"] = []byte("signature"), []byte("key")
	_, address := mirror(t, files)
	cfg := scratch(t)
	cfg.Offline = true
	s := open(t, cfg, address+"#tap")
	r := resolve(t, s, Query{Constraint: "~> 1.0", Platform: here(), Protocols: []int{1}})
	want := Release{
		Name: "tap", Version: "1.1.0", Protocols: []int{1},
		Hashes: map[manifest.Platform]lock.Hashes{
			here():    {Archive: hashPrefix + hexOf(p.archive(t)), Bin: hashPrefix + hexOf([]byte(p.binary))},
			elsewhere: {Archive: hashPrefix + hexOf(other.archive(t)), Bin: hashPrefix + hexOf([]byte(other.binary))},
		},
		Signed: &Signed{Data: files[index.File], Signature: []byte("signature"), PublicKey: []byte("key")},
	}
	got := r
	got.private = nil
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Release{})); diff != "" {
		t.Errorf("release (-want +got):\n%s", diff)
	}
	if f := fetched(t, s, r, p); f.Archive != want.Hashes[here()].Archive {
		t.Errorf("fetched %+v", f)
	}
	fetched(t, s, r, other)
	file := filepath.Join(t.TempDir(), "a")
	if err := s.Archive(t.Context(), r, elsewhere, file); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(file); hexOf(data) != hexOf(other.archive(t)) {
		t.Error("the archive differs")
	}
}

func TestIndexWithoutSignatureHasNone(t *testing.T) {
	_, address := mirror(t, published(t, tap("1.0.0")))
	r := resolve(t, open(t, scratch(t), address), tap("").query(""))
	if r.Signed == nil || r.Signed.Signature != nil || r.Signed.PublicKey != nil || len(r.Signed.Data) == 0 {
		t.Errorf("signed %+v", r.Signed)
	}
}

func TestAnUnreadableSignatureIsNotTreatedAsMissing(t *testing.T) {
	dir, address := mirror(t, published(t, tap("1.0.0")))
	for _, name := range []string{"index.json.minisig", "minisign.pub"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		var unread *FetchError
		if r, err := open(t, scratch(t), address).Resolve(t.Context(), tap("").query("")); !errors.As(err, &unread) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: release %+v, error %v", name, r, err)
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		write(t, dir, map[string][]byte{name: make([]byte, maxSignature+1)})
		if _, err := open(t, scratch(t), address).Resolve(t.Context(), tap("").query("")); !errors.As(err, &unread) || !strings.Contains(err.Error(), "longer") {
			t.Errorf("long %s: %v", name, err)
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// swap replaces the archive of an index without changing the index.
func swap(files map[string][]byte, p plugin, archive []byte) map[string][]byte {
	files[p.url()] = archive
	return files
}

func TestArchiveWithAnotherHashIsNotUnpacked(t *testing.T) {
	p, other := tap("1.0.0"), tap("1.0.0")
	other.binary = "of somebody else"
	_, address := mirror(t, swap(published(t, p), p, other.archive(t)))
	s := open(t, scratch(t), address)
	r := resolve(t, s, p.query(""))
	err := refused(t, s, r, here())
	var sum *store.ChecksumError
	if !errors.As(err, &sum) || !strings.Contains(err.Error(), "it is damaged") || sum.Expected != r.Hashes[here()].Archive || sum.Actual != hashPrefix+hexOf(other.archive(t)) {
		t.Errorf("error %v", err)
	}
	if err := s.Archive(t.Context(), r, here(), filepath.Join(t.TempDir(), "a")); !errors.As(err, &sum) {
		t.Errorf("archive: %v", err)
	}
}

func TestArchiveMustAgreeWithItsIndex(t *testing.T) {
	said := tap("1.0.0")
	for field, change := range map[string]func(*plugin){
		"name":      func(p *plugin) { p.name = "tip" },
		"version":   func(p *plugin) { p.version = "1.0.1" },
		"protocols": func(p *plugin) { p.protocols = []int{1, 2} },
		"bin":       func(p *plugin) { p.binary = "another" },
		"platform":  func(p *plugin) { p.platform = elsewhere },
	} {
		is := said
		change(&is)
		files := published(t, said)
		data := is.archive(t)
		files[said.url()] = data
		x, err := index.Parse(files[index.File])
		if err != nil {
			t.Fatal(err)
		}
		v := x.Plugins["tap"].Versions["1.0.0"].Files
		v[here()] = index.Archive{URL: said.url(), SHA256: hexOf(data), BinSHA256: hexOf([]byte(said.binary))}
		files[index.File] = x.Encode()
		_, address := mirror(t, files)
		s := open(t, scratch(t), address)
		err = refused(t, s, resolve(t, s, said.query("")), here())
		says := "has the " + field + " "
		switch field {
		case "bin":
			says = address + ", " + string(here()) + " says"
		case "platform":
			says = "has no binary for " + string(here())
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestIndexWithoutAFittingPluginNamesThoseItHas(t *testing.T) {
	forge := tap("1.0.0")
	forge.name = "forge"
	_, address := mirror(t, published(t, tap("1.0.0"), forge))
	var which *SpecError
	if _, err := open(t, scratch(t), address).Resolve(t.Context(), Query{Platform: here(), Protocols: []int{1}}); !errors.As(err, &which) || !strings.Contains(err.Error(), "#forge") {
		t.Errorf("no name: %v", err)
	}
	var none *index.NoVersionError
	for _, q := range []Query{
		{Name: "tip", Platform: here(), Protocols: []int{1}}, {Name: "tap", Platform: here(), Protocols: []int{9}},
		{Name: "tap", Platform: elsewhere, Protocols: []int{1}}, {Name: "tap", Constraint: "> 1", Platform: here(), Protocols: []int{1}},
	} {
		if _, err := open(t, scratch(t), address).Resolve(t.Context(), q); !errors.As(err, &none) {
			t.Errorf("%+v: %v", q, err)
		}
	}
	r := resolve(t, open(t, scratch(t), address), tap("").query(""))
	if err := refused(t, open(t, scratch(t), address), r, elsewhere); !strings.Contains(err.Error(), "it has no archive of tap") {
		t.Errorf("a platform that the index does not have: %v", err)
	}
	if err := refused(t, open(t, scratch(t), address), Release{Name: "tap"}, here()); !strings.Contains(err.Error(), "is not one of this index") {
		t.Errorf("a release of another source: %v", err)
	}
}

func TestAnInvalidIndexIsAnError(t *testing.T) {
	_, address := mirror(t, map[string][]byte{index.File: []byte("<html>")})
	var unread *FetchError
	var wrong *index.Error
	if _, err := open(t, scratch(t), address).Resolve(t.Context(), tap("").query("")); !errors.As(err, &unread) || !errors.As(err, &wrong) {
		t.Errorf("html: %v", err)
	}
	if _, err := open(t, scratch(t), address+".gone").Resolve(t.Context(), tap("").query("")); !errors.As(err, &unread) {
		t.Errorf("nothing: %v", err)
	}
}

func TestOfflineNothingUsesTheNetwork(t *testing.T) {
	w := serve(t, published(t, tap("1.0.0")))
	cfg := w.config(t)
	online := resolve(t, open(t, cfg, w.index()), tap("").query(""))
	before := w.asked()
	cfg.Offline = true
	s := open(t, cfg, w.index())
	const off = " is not fetched with --offline"
	if _, err := s.Resolve(t.Context(), tap("").query("")); err == nil || err.Error() != w.index()+off {
		t.Errorf("resolve: %v", err)
	}
	if err := refused(t, s, online, here()); !strings.HasSuffix(err.Error(), off) {
		t.Errorf("fetch: %v", err)
	}
	if w.asked() != before {
		t.Error("a request was sent")
	}
}
