package gotest_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/sdk"
)

func sourceFiles(names ...string) []sdk.SourceFile {
	var all []sdk.SourceFile
	for _, name := range names {
		all = append(all, sdk.SourceFile{Path: name, Content: []byte("package p\n")})
	}
	return all
}

func contentOf(s sdk.Scaffold, name string) string {
	for _, f := range s.Files {
		if f.Path == name {
			return string(f.Content)
		}
	}
	return ""
}

func TestScaffoldMakesAModuleWithoutAProject(t *testing.T) {
	ws := newWorkspace(t, nil)
	ws.Root = ""
	setToolchain(t, &ws, "go1.25.3")
	s, err := newDetector(t).Scaffold(t.Context(), sdk.ScaffoldRequest{Workspace: ws, Sources: sourceFiles("a.go", "b/b_test.go", "b/testdata/x.json")})
	if err != nil {
		t.Fatal(err)
	}
	if got := contentOf(s, "go.mod"); got != "module upload\n\ngo 1.25.3\n" {
		t.Errorf("go.mod is %q", got)
	}
	if contentOf(s, "go.sum") != "" || s.Env["GOMODCACHE"] != "" {
		t.Errorf("dependencies without a project: %+v", s)
	}
	if want := filepath.Dir(filepath.Dir(ws.Tools["go"])); !slices.Equal(s.Readable, []string{resolvePath(t, want)}) {
		t.Errorf("readable: %q", s.Readable)
	}
	for name, want := range map[string]string{"GOPROXY": "off", "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOWORK": "off", "GOENV": "off"} {
		if s.Env[name] != want {
			t.Errorf("%s=%s", name, s.Env[name])
		}
	}
}

func resolvePath(t *testing.T, path string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

func TestAnUploadConfinesReadsToItsWorkspace(t *testing.T) {
	d := newDetector(t)
	s, err := d.Scaffold(t.Context(), sdk.ScaffoldRequest{Sources: sourceFiles("a.go")})
	if err != nil {
		t.Fatal(err)
	}
	// The host passes on the variables that the plugin asks for.
	env := map[string]string{}
	for _, name := range d.Description().Env {
		env[name] = s.Env[name]
	}
	root, outside := resolvePath(t, t.TempDir()), filepath.Join(t.TempDir(), "a_test.go")
	testfiles.Write(t, outside, "package p\n")
	if err := os.Symlink(outside, filepath.Join(root, "a_test.go")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if data, err := source.NewReader(root, env).Bytes(filepath.Join(root, "a_test.go"), 100); err == nil {
		t.Errorf("a link out of an upload is followed: %q", data)
	}
}

func TestScaffoldCopiesTheProjectsDependencies(t *testing.T) {
	ws := newWorkspace(t, files{
		"go.mod": `module example.com/m // ours

go 1.24

toolchain go1.24.2

require (
	example.com/a v1.2.3
	"example.com/b" v0.0.0 // indirect
	example.com/local v1.0.0
)
require example.com/c v1.0.0
replace example.com/local => ../local
replace example.com/b v0.0.0 => example.com/fork v0.1.0
exclude example.com/c v0.9.0
retract v0.1.0
`,
		"go.sum": "example.com/a v1.2.3 h1:x\n",
	})
	cache := t.TempDir()
	ws.Env["GOMODCACHE"] = cache
	s, err := newDetector(t).Scaffold(t.Context(), sdk.ScaffoldRequest{Workspace: ws, Sources: sourceFiles("a_test.go")})
	if err != nil {
		t.Fatal(err)
	}
	want := `module upload

go 1.24
require example.com/a v1.2.3
require example.com/b v0.0.0
require example.com/c v1.0.0
replace example.com/b v0.0.0 => example.com/fork v0.1.0
exclude example.com/c v0.9.0
`
	if got := contentOf(s, "go.mod"); got != want {
		t.Errorf("go.mod is\n%s", got)
	}
	if contentOf(s, "go.sum") != "example.com/a v1.2.3 h1:x\n" {
		t.Errorf("go.sum is %q", contentOf(s, "go.sum"))
	}
	if s.Env["GOMODCACHE"] != cache || !slices.Contains(s.Readable, cache) {
		t.Errorf("module cache: %q, readable %q", s.Env["GOMODCACHE"], s.Readable)
	}
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "example.com/local") {
		t.Errorf("warnings: %q", s.Warnings)
	}
}

func TestScaffoldFindsTheModuleCache(t *testing.T) {
	home := t.TempDir()
	mod := "module m\nrequire example.com/a v1.0.0\n"
	for name, c := range map[string]struct {
		env   map[string]string
		cache string
	}{
		"home":    {map[string]string{"HOME": home}, filepath.Join(home, "go", "pkg", "mod")},
		"gopath":  {map[string]string{"HOME": home, "GOPATH": filepath.Join(home, "g") + string(filepath.ListSeparator) + "/x"}, filepath.Join(home, "g", "pkg", "mod")},
		"none":    {map[string]string{}, ""},
		"missing": {map[string]string{"GOMODCACHE": filepath.Join(home, "nowhere")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ws := newWorkspace(t, files{"go.mod": mod})
			ws.Env = c.env
			if c.cache != "" {
				if err := os.MkdirAll(c.cache, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			s, err := newDetector(t).Scaffold(t.Context(), sdk.ScaffoldRequest{Workspace: ws, Sources: sourceFiles("a_test.go")})
			if err != nil || s.Env["GOMODCACHE"] != c.cache {
				t.Errorf("%v, cache %q", err, s.Env["GOMODCACHE"])
			}
		})
	}
}

func TestScaffoldRejectsFilesThatAreNotGoSource(t *testing.T) {
	cgo := sdk.SourceFile{Path: "c.go", Content: []byte("package p\n\n// #cgo LDFLAGS: -x\nimport \"C\"\n")}
	for name, c := range map[string]struct {
		files []sdk.SourceFile
		says  string
	}{
		"go.mod":           {sourceFiles("a.go", "go.mod"), "go.mod"},
		"nested go.mod":    {sourceFiles("a.go", "b/go.mod"), "b/go.mod"},
		"go.mod in data":   {sourceFiles("a.go", "testdata/go.mod"), "testdata/go.mod"},
		"go.sum":           {sourceFiles("a.go", "go.sum"), "go.sum"},
		"go.work":          {sourceFiles("a.go", "go.work"), "go.work"},
		"vendor":           {sourceFiles("a.go", "vendor/x/x.go"), "vendor"},
		"another language": {sourceFiles("a.go", "src/C.sol"), "src/C.sol: not a Go source"},
		"assembly":         {sourceFiles("a.go", "a.s"), "a.s"},
		"only data":        {sourceFiles("testdata/x.txt"), "no Go source"},
		"cgo":              {append(sourceFiles("a.go"), cgo), "c.go"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newDetector(t).Scaffold(t.Context(), sdk.ScaffoldRequest{Sources: c.files})
			if refused, ok := errors.AsType[*sdk.Error](err); !ok || refused.Reason != sdk.InvalidSources || !strings.Contains(refused.Message, c.says) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestScaffoldLeavesABrokenSourceToTheCompiler(t *testing.T) {
	broken := []sdk.SourceFile{{Path: "a.go", Content: []byte("\x00 not go")}}
	if _, err := newDetector(t).Scaffold(t.Context(), sdk.ScaffoldRequest{Sources: broken}); err != nil {
		t.Error(err)
	}
}
