package source

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

func goQuery(constraint string) Query {
	return Query{Constraint: constraint, Platform: here(), Protocols: []int{1}}
}

func TestGoModuleIsBuiltFromWhatWasResolvedAndNotRun(t *testing.T) {
	cfg := goConfig(t, tiny(t).url())
	// Neither a surrounding module nor Go's own settings file affects the build.
	t.Chdir(write(t, t.TempDir(), map[string][]byte{"go.mod": []byte("module broken!\n"), "go.work": []byte("broken!")}))
	settings := write(t, t.TempDir(), map[string][]byte{"env": []byte("GOFLAGS=-toolexec=/nonexistent\nCGO_ENABLED=1\n")})
	cfg.Env = append(cfg.Env, "GOENV="+filepath.Join(settings, "env"))
	s := open(t, cfg, "go:"+tinyPkg)
	r := resolve(t, s, goQuery("~> 1.0"))
	if r.Name != "tiny" || r.Version != "1.1.0" || !strings.HasPrefix(r.ModuleSum, "h1:") || len(r.Hashes) != 0 || !cmp.Equal(r.Protocols, []int{1}) {
		t.Errorf("release %+v", r)
	}
	dir := t.TempDir()
	f, err := s.Fetch(t.Context(), r, here(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(f.Toolchain, "go1.") || f.Archive != "" {
		t.Errorf("fetched %+v", f)
	}
	got, err := readManifest(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	bin := manifest.BinaryName("tiny", here())
	data, err := os.ReadFile(filepath.Join(dir, bin))
	if err != nil {
		t.Fatal(err)
	}
	want := manifest.Manifest{
		Schema: 1, Name: "tiny", Version: "1.1.0", Protocols: []int{1}, Summary: "what it is", Detect: manifest.Detect{AnyFile: []string{"tiny.toml"}},
		Platforms: map[manifest.Platform]manifest.Binary{here(): {Bin: bin, SHA256: hexOf(data)}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("manifest (-want +got):\n%s", diff)
	}
	if got := names(t, dir); !cmp.Equal(got, []string{"LICENSE", "manifest.json", bin}) {
		t.Errorf("files %q", got)
	}

	r.ModuleSum = "h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	if err := refused(t, s, r, here()); !strings.Contains(err.Error(), "has the sum ") || !strings.Contains(err.Error(), "h1:AAAA") {
		t.Errorf("another module's sum: %v", err)
	}
}

func TestVersionOfAGoModuleIsSelected(t *testing.T) {
	cfg := goConfig(t, tiny(t).url())
	for constraint, want := range map[string]string{
		"1.0.0": "1.0.0", "v1.0.0": "1.0.0", "= 1.0.0": "1.0.0", "< 1.1": "1.0.0", "1.2.0-rc.1": "1.2.0-rc.1", "~> 1.1": "1.1.0",
		"": "1.1.0", ">= 1": "1.1.0",
	} {
		r, err := open(t, cfg, "go:"+tinyPkg).Resolve(t.Context(), goQuery(constraint))
		if err != nil || r.Version != want {
			t.Errorf("%q: got %q, want %q; %v", constraint, r.Version, want, err)
		}
	}
}

func TestGoModuleWithoutManifestIsNamedAfterItsPath(t *testing.T) {
	cfg := goConfig(t, tiny(t).url())
	q := goQuery("1.1.0")
	q.Protocols = []int{1, 2}
	r := resolve(t, open(t, cfg, "go:example.test/tiny/plain/proctor-plugin-bare"), q)
	if r.Name != "bare" || !cmp.Equal(r.Protocols, q.Protocols) {
		t.Errorf("release %+v", r)
	}
}

func TestUnusableGoModuleIsRefusedWithTheReason(t *testing.T) {
	cfg := goConfig(t, tiny(t).url())
	var unread *FetchError
	var plain error
	for spec, c := range map[string]struct {
		as   any
		says string
	}{
		"go:example.test/absent/proctor-plugin-x":        {&unread, "example.test/absent"},
		"go:example.test/absent/proctor-plugin-x@v1.0.0": {&unread, "example.test/absent"},
		"go:" + tinyPkg + "@v1.9.0":                      {&unread, "v1.9.0"},
		"go:" + tinyPkg + "@> 3":                         {&plain, "has no version of tiny \"> 3\" that will do: "},
		"go:example.test/pre/proctor-plugin-pre":         {&plain, "that will do: 0.1.0-beta.1"},
		"go:example.test/tiny/cmd/proctor-plugin-tine":   {&unread, "does not have the package"},
		"go:example.test/odd/nameless":                   {&plain, "it has no manifest.json"},
		"go:example.test/odd/proctor-plugin-other":       {&plain, "has the name another"},
		"go:example.test/odd/proctor-plugin-bad":         {&unread, "JSON"},
		"go:example.test/odd/proctor-plugin-newer":       {new(*manifest.ProtocolError), "7"},
	} {
		parsed, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		_, err = open(t, cfg, spec).Resolve(t.Context(), goQuery(parsed.Constraint))
		if err == nil || !errors.As(err, c.as) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %T %v, want %T that says %q", spec, err, err, c.as, c.says)
		}
	}
}

func TestGoModuleThatCannotBeBuiltSaysWhatTheGoCommandSays(t *testing.T) {
	cfg := goConfig(t, tiny(t).url())
	for spec, says := range map[string]string{
		"go:example.test/replaced/proctor-plugin-local": "replace",
		"go:example.test/odd/proctor-plugin-wrong":      "main.go:3",
		"go:example.test/odd/proctor-plugin-native":     "exclude all Go files", // cgo is off
	} {
		s := open(t, cfg, spec)
		err := refused(t, s, resolve(t, s, goQuery("")), here())
		if _, ok := errors.AsType[*FetchError](err); !ok || !strings.Contains(err.Error(), says) || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%s: got %v, want %q", spec, err, says)
		}
	}
	s := open(t, cfg, "go:"+tinyPkg)
	r := resolve(t, s, goQuery("1.0.0"))
	if err := refused(t, s, r, elsewhere); !strings.Contains(err.Error(), "this is not "+string(elsewhere)) {
		t.Errorf("another platform: %v", err)
	}
	if err := s.Archive(t.Context(), r, here(), filepath.Join(t.TempDir(), "a")); err == nil || !strings.Contains(err.Error(), "GOPROXY") {
		t.Errorf("archive: %v", err)
	}
}
