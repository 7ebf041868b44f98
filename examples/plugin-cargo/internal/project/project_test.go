package project

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"example.com/proctor-plugin-cargo/internal/arguments"
)

const workspace = `{"packages":[
 {"name":"root","id":"path+file:///w#root@0.1.0","manifest_path":"/w/Cargo.toml","features":{"default":["a"],"a":["root/b"],"b":[],"c":[]},"targets":[
  {"kind":["lib"],"name":"root","src_path":"/w/src/lib.rs","doctest":true,"test":true},
  {"kind":["bin"],"name":"tool","src_path":"/w/src/main.rs","doctest":false,"test":true,"required-features":["b"]},
  {"kind":["bin"],"name":"gated","src_path":"/w/src/gated.rs","doctest":false,"test":true,"required-features":["c"]},
  {"kind":["example"],"name":"show","src_path":"/w/examples/show.rs","doctest":false,"test":false},
  {"kind":["bench"],"name":"speed","src_path":"/w/benches/speed.rs","doctest":false,"test":false},
  {"kind":["custom-build"],"name":"build-script-build","src_path":"/w/build.rs","doctest":false,"test":false}]},
 {"name":"macros","id":"path+file:///w/macros#0.1.0","manifest_path":"/w/macros/Cargo.toml","features":{},"targets":[
  {"kind":["proc-macro"],"name":"macros","src_path":"/w/macros/src/lib.rs","doctest":true,"test":true}]},
 {"name":"foreign","id":"registry+x#foreign@1.0.0","manifest_path":"/r/Cargo.toml","features":{},"targets":[]}],
 "workspace_members":["path+file:///w#root@0.1.0","path+file:///w/macros#0.1.0"],
 "workspace_default_members":["path+file:///w#root@0.1.0"],
 "workspace_root":"/w","target_directory":"/w/target"}`

func TestTargetsAreSelectedLikeCargoTest(t *testing.T) {
	for name, c := range map[string]struct {
		root string
		args []string
		want []string
	}{
		"default members":  {"/w", nil, []string{"root lib root", "root bin tool", "root doc root"}},
		"a member":         {"/w/macros", nil, []string{"macros lib macros", "macros doc macros"}},
		"workspace":        {"/w", []string{"--workspace", "--lib"}, []string{"root lib root", "macros lib macros"}},
		"exclude":          {"/w", []string{"--workspace", "--exclude", "root"}, []string{"macros lib macros", "macros doc macros"}},
		"feature":          {"/w", []string{"--bins", "-F", "c"}, []string{"root bin tool", "root bin gated"}},
		"no features":      {"/w", []string{"--bins", "--no-default-features"}, nil},
		"all features":     {"/w", []string{"--bin", "g*", "--all-features"}, []string{"root bin gated"}},
		"benches":          {"/w", []string{"--benches"}, []string{"root bench speed"}},
		"examples by name": {"/w", []string{"--example", "show", "--doc"}, []string{"root example show", "root doc root"}},
		"package with id":  {"/w", []string{"-p", "path+file:///w/macros#0.1.0"}, []string{"macros lib macros", "macros doc macros"}},
		"package pattern":  {"/w", []string{"-p", "mac*@0.1.0"}, []string{"macros lib macros", "macros doc macros"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Parse([]byte(workspace), c.root)
			if err != nil {
				t.Fatal(err)
			}
			args, err := arguments.Parse(c.args)
			if err != nil {
				t.Fatal(err)
			}
			selected, err := p.Select(args)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, target := range selected.Targets {
				got = append(got, target.Suite())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("selected %q, want %q", got, c.want)
			}
		})
	}
}

func TestAnUnknownPackageIsNamed(t *testing.T) {
	p, err := Parse([]byte(workspace), "/w")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Select(arguments.Arguments{Packages: []string{"nosuch"}}); err == nil {
		t.Error("a package that does not exist was selected")
	}
}

func TestPathsAreRelativeToWhereTheUserIs(t *testing.T) {
	p, err := Parse([]byte(workspace), "/w/macros")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"macros/src/lib.rs": "src/lib.rs", "src/lib.rs": "/w/src/lib.rs", "/w/macros/x.rs": "x.rs", "/rustc/abc/core.rs": "/rustc/abc/core.rs",
	} {
		if got := filepath.ToSlash(p.Path(path)); got != want {
			t.Errorf("%s became %s, want %s", path, got, want)
		}
	}
	if p.Own("/rustc/abc/core.rs") || p.Own("target/debug/build/x/out/made.rs") || !p.Own("macros/src/lib.rs") {
		t.Error("want only macros/src/lib.rs to be the project's own")
	}
}

func TestHarnessFalseIsReadFromTheManifest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "Cargo.toml")
	if err := os.WriteFile(path, []byte("[lib]\nharness = false\n[[test]]\nname = \"a\"\nharness = false\n[[test]]\nname = \"b\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := readHarness(path)
	if h.hasHarness(KindLib, "x") || h.hasHarness("test", "a") || !h.hasHarness("test", "b") || !h.hasHarness("bin", "a") {
		t.Errorf("read %+v", h)
	}
	if !readHarness(filepath.Dir(path)).hasHarness("test", "a") || !readHarness("nowhere").hasHarness("test", "a") {
		t.Error("a manifest that cannot be read declared something")
	}
}
