package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/internal/testbin"
)

// pluginAuthor is somebody who writes a plugin, with the tools of its language.
type pluginAuthor struct {
	*module
	// plugin is the repository.
	plugin string
}

// newAuthor is one who has these programs.
func newAuthor(t *testing.T, programs ...string) *pluginAuthor {
	t.Helper()
	w := newModule(t, files{"doc.go": "package m\n"})
	// Debian's Python has what a plugin in Python needs.
	path := "/usr/bin" + string(filepath.ListSeparator) + os.Getenv("PATH")
	for _, program := range append(programs, "make", "sh") {
		needs.Program(t, program)
	}
	cache, err := filepath.Abs("../../.cache/npm")
	if err != nil {
		t.Fatal(err)
	}
	w.setenv("PATH="+testbin.Dir()+string(filepath.ListSeparator)+path, "GOPROXY="+goEnv(t, "GOPROXY")["GOPROXY"], "GOFLAGS=-mod=mod", "npm_config_cache="+cache,
		"npm_config_update_notifier=false")
	return &pluginAuthor{module: w, plugin: filepath.Join(w.dir, "proctor-plugin-lua")}
}

// authorDeadline is how long one program may take. The longest is npm that fetches on a
// slow line; it must not hang for ever.
const authorDeadline = 3 * time.Minute

// do calls a program in the repository, which must succeed.
func (a *pluginAuthor) do(program string, args ...string) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), authorDeadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = a.plugin, slices.Clone(a.env)
	// A process that it started may hold its output and outlive it.
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		a.t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
}

// in calls proctor in the repository.
func (a *pluginAuthor) in(args ...string) reply {
	a.t.Helper()
	cmd := a.command(args...)
	cmd.Dir = a.plugin
	return a.wait(cmd)
}

// works holds a built plugin against what was promised of it. The program is for a
// platform.
func (a *pluginAuthor) works(platform string) {
	a.t.Helper()
	const binary = "proctor-plugin-lua"
	override := "--plugin=lua=./" + binary
	a.in("run", "-C", "example", override).expect(a.t, exitFailed, "tests/arithmetic.sh:5", "got:  6", "want: 5", "FAILED  1 test · 3 passed · 1 skipped")
	script := filepath.Join(a.plugin, "example", "tests", "arithmetic.sh")
	raw, err := os.ReadFile(script)
	if err != nil {
		a.t.Fatal(err)
	}
	mended := strings.Replace(string(raw), "))\" 5", "))\" 6", 1)
	if err := os.WriteFile(script, []byte(mended), 0o644); err != nil {
		a.t.Fatal(err)
	}
	a.in("rerun", "-C", "example", override).expect(a.t, exitPassed, "PASSED  3 tests")

	pack := []string{"plugin", "pack", "--bin", platform + "=" + binary, "--out", "dist"}
	a.in(pack...).expect(a.t, 0, "dist/index.json", "minisign -Sm", "the archives have no license")
	a.in(pack...).expect(a.t, 0, "nothing was changed")
	a.in("plugin", "install", "file://"+filepath.ToSlash(filepath.Join(a.plugin, "dist", "index.json"))+"#lua").expect(a.t, 0, "installed lua 0.1.0")
	a.in("run", "-C", "example").expect(a.t, exitPassed, "PASSED  4 tests · 1 skipped")
}

func TestANewPluginInGoWorks(t *testing.T) {
	t.Parallel()
	a := newAuthor(t, "go")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	a.proctor("plugin", "new", "lua", "--sdk", root).expect(t, 0, "go.mod", "remove that line")
	// Not "make build", whose flags for a release build everything once more.
	a.do("go", "mod", "tidy")
	a.do("go", "vet", ".")
	a.do("go", "test", ".")
	a.do("go", "build", "-o", "proctor-plugin-lua", ".")
	a.in("plugin", "check", "./proctor-plugin-lua", "--manifest", "manifest.json", "--cases", "testdata/cases", "--workspace", "example").expect(a.t, exitPassed)
	a.works(thisPlatform)
}

func TestANewPluginInNodeWorks(t *testing.T) {
	t.Parallel()
	needs.WholeSuite(t)
	a := newAuthor(t, "node", "npm")
	a.proctor("plugin", "new", "lua", "--lang", "node").expect(t, 0, "package.json")
	a.do("make", "test") // which checks the plugin, too
	a.works(scriptPlatform)
}

func TestANewPluginInPythonWorks(t *testing.T) {
	t.Parallel()
	needs.WholeSuite(t)
	a := newAuthor(t, "python3")
	if err := exec.Command("/usr/bin/python3", "-c", "import grpc, google.protobuf").Run(); err != nil {
		needs.Missing(t, "/usr/bin/python3 has no grpc and protobuf: apt-get install python3-grpcio python3-protobuf")
	}
	a.proctor("plugin", "new", "lua", "--lang", "python").expect(t, 0, "build.py")
	a.do("make", "test") // which checks the plugin, too
	a.works(scriptPlatform)
}

func TestANewPluginGetsADirectoryOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"mine/file": "", "fake/go.mod": "module example.com/fake\n"})
	for _, c := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"Lua", "--lang", "python"}, exitUsage, "cannot be the name of a plugin"},
		{[]string{"../lua", "--lang", "python"}, exitUsage, "cannot be the name of a plugin"},
		{[]string{"lua", "--lang", "cobol"}, exitUsage, "go, node, python"},
		{[]string{"lua", "--lang", "python", "--dir", "mine"}, exitTool, "is not empty"},
		{[]string{"lua"}, exitUsage, "--sdk DIR"},
		{[]string{"lua", "--sdk", "fake"}, exitUsage, "it has no go.mod of github.com/proctorhq/proctor"},
	} {
		w.proctor(append([]string{"plugin", "new"}, c.args...)...).expect(t, c.code, c.text)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "proctor-plugin-lua")); err == nil {
		t.Error("something was written")
	}
	w.proctor("plugin", "new", "go", "--lang", "python").expect(t, 0, "proctor comes with a plugin go")
}
