package gotest_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

// editor edits a workspace at random: [dependent], or what became of it.
type editor struct {
	*testing.T
	*rand.Rand
	ws sdk.Workspace
	// env is the environment at first.
	env map[string]string
	// done are the edits since the workspace was last written anew.
	done []string
}

func (e *editor) pick(from ...string) string { return from[e.IntN(len(from))] }

// edit changes one thing. Many edits are impossible where they are made: then nothing changes.
func (e *editor) edit() {
	root := e.ws.Root
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	dir := e.pick("low", "mid", "alone", "embed", "embed/data", "embed/pages/p", "testdata/z", "_x", "new", "new/deep", "asm", "../other", "../other/sub",
		"vendor", "vendor/example.com/o", ".hid", "mid/internal/i", "link", "../other2", ".")
	name := e.pick("a.go", "a_test.go", "b_windows.go", "c_linux.go", "x_test.go", "x.txt", "go.mod", "d.s", "e.h", "_f.go", ".g.go", "modules.txt",
		"c.c", "doc.txt", "default.pgo", "embed_x.go")
	isModule := name == "go.mod" && (dir == "." || dir == "../other")
	switch kind := e.IntN(16); kind {
	case 0, 1, 2, 3:
		if !isModule {
			e.say("remove", dir, name)
			_ = os.Remove(at(dir + "/" + name))
		}
		_ = os.Remove(at(dir))
	case 4:
		dir = e.pick("vendor", "new", "link", "testdata", "mid/internal", "_x")
		e.say("remove all of", dir)
		_ = os.RemoveAll(at(dir))
	case 5, 6:
		link, to := e.pick("link", "vendor", "embed/link.txt", "mid/s.go", "mid/l"), e.pick("low", "../other", "testdata/z", "nowhere")
		e.say("link", link, to)
		_ = os.Remove(at(link))
		if kind == 5 {
			_ = os.Symlink(to, at(link))
		}
	case 7:
		_, _ = os.Remove(at("go.work")), os.Remove(at("../go.work"))
		work := e.pick("none", "go.work .", "../go.work ./m", "../go.work (\n./m\n./other\n)")
		e.say("workspace", work)
		if file, use, ok := strings.Cut(work, " "); ok {
			_ = os.WriteFile(at(file), []byte("go 1.22\nuse "+use+"\n"), 0o644)
		}
	case 8:
		clear(e.ws.Env)
		maps.Copy(e.ws.Env, e.env)
		setting := e.pick("", "GOOS=windows", "CGO_ENABLED=0", "CGO_ENABLED=1", "GOFLAGS=-tags=x", "GOFLAGS=-mod=vendor", "GOFLAGS=-mod=mod", "GOWORK=off")
		e.say("environment", setting)
		if name, value, ok := strings.Cut(setting, "="); ok {
			e.ws.Env[name] = value
		}
	case 9:
		extra := e.pick("", "", "ignore ./new\n", "tool example.com/o\n")
		text := "module example.com/m\n\ngo " + e.pick("1.20", "1.24", "1.26") + "\n" + extra + "\nrequire example.com/o v0.0.0\n\nreplace example.com/o => " + e.pick("../other", "../other", "./other3") + "\n"
		e.say("module", text)
		_ = os.WriteFile(at("go.mod"), []byte(text), 0o644)
	case 10:
		mode := os.FileMode(0o644 * e.IntN(2))
		e.say("mode", mode)
		_ = os.Chmod(at("mid/mid.go"), mode)
	default:
		if isModule || dir == "vendor" && e.IntN(3) > 0 {
			return
		}
		text := e.content(dir, name)
		e.say("write", dir, name, text)
		_ = os.MkdirAll(at(dir), 0o755)
		_ = os.WriteFile(at(dir+"/"+name), []byte(text), 0o644)
	}
}

func (e *editor) say(words ...any) { e.done = append(e.done, fmt.Sprintf("%q", words)) }

// content returns what a file says: often what a package may not say.
func (e *editor) content(dir, name string) string {
	switch filepath.Ext(name) {
	case ".mod":
		return "module example.com/" + e.pick("n", "m", "o") + "\n\ngo 1.20\n"
	case ".txt":
		return e.pick("x", "y", "# example.com/o v0.0.0 => ../other\n## explicit; go 1.20\nexample.com/o\n# example.com/o => ../other\n")
	case ".go":
	default:
		return e.pick("", "//go:build ignore\n\n", "/* x */\n")
	}
	name = filepath.Base(dir)
	switch {
	case name == "other":
		name = "o"
	case name == "deep", name[0] == '_', name[0] == '.':
		name = "q"
	}
	text := e.pick("", "", "", "//go:build linux\n\n", "//go:build x\n\n", "// +build x\n\n", "// Doc\n", "//go:build cgo\n\n", "/* c\n*/ ")
	text += "package " + e.pick(name, name, name, name, name, name+"_test", "main", "other") + e.pick("\n", "; ", " // c\n")
	for range e.IntN(3) {
		text += e.pick("", "", "// #cgo LDFLAGS: -lm\n") + "import _ " + strconv.Quote(e.pick("fmt", "C", "embed", "unsafe", "example.com/o", "example.com/o/sub",
			"example.com/m/low", "example.com/m/mid", "example.com/m/link", "example.com/m/testdata/z", "example.com/m/new", "example.com/m/mid/internal/i", "example.com/m/none"))
		text += e.pick("\n", ";", " /* a\n */\n")
	}
	return text + e.pick("\n", "\n//go:embed *.txt\nvar x string\n", "\n//go:embed all:*\nvar z string\n", "\nfunc F() {}\n", "\nfunc TestA(t *testing.T) {\n",
		"\nfunc TestB(x int) {}\n", "\nvar s = `\n//go:embed none\n`\n", "\n/* open", "\n\x00", "\nimport \"fmt\"\n")
}

// list lists, and reports whether what was kept was read. The listing is nil if the go
// command refuses.
func (e *editor) list(req sdk.ListRequest) (got *listed, kept bool) {
	plan, err := newDetector(e.T).ListCmd(e.Context(), req)
	command := singleCommand(e.T, plan, err)
	if stdout, err := printed(e.T, req.Workspace, command); err == nil {
		got = parseListingOf(e.T, req, command, sdk.Exit{}, stdout, "", 4096)
	}
	return got, command.Known
}

func TestAKeptListingIsWhatANewOneWouldBeAfterRandomEdits(t *testing.T) {
	requireGo(t)
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	seed, steps, until := uint64(1), 60, time.Time{}
	if text := os.Getenv("PROCTOR_FUZZ"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		seed, until = uint64(time.Now().UnixNano()), time.Now().Add(d)
	}
	if text := os.Getenv("PROCTOR_FUZZ_SEED"); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	outer := newWorkspace(t, dependent)
	e := &editor{T: t, Rand: rand.New(rand.NewPCG(seed, 0)), ws: outer, env: maps.Clone(outer.Env)}
	e.ws.Root, e.ws.Cache = filepath.Join(outer.Root, "m"), filepath.Join(outer.Root, "cache")
	e.ws.Tools["go"] = tool
	kept := 0
	for step := 0; step < steps || time.Now().Before(until); step++ {
		if e.IntN(12) == 0 {
			for _, name := range []string{"m", "other", "other2", "go.work"} {
				if err := os.RemoveAll(filepath.Join(outer.Root, name)); err != nil {
					t.Fatal(err)
				}
			}
			testfiles.WriteAll(t, outer.Root, dependent)
			e.done = nil
		}
		for range 1 + e.IntN(2) {
			e.edit()
		}
		for _, dependencies := range []bool{true, false} {
			req := sdk.ListRequest{Workspace: e.ws, Dependencies: dependencies}
			got, again := e.list(req)
			if !again {
				continue
			}
			kept++
			req.Workspace.Cache = ""
			if want, _ := e.list(req); !cmp.Equal(want, got, cmp.AllowUnexported(listed{})) {
				t.Fatalf("PROCTOR_FUZZ_SEED=%d, step %d, after %s\n(-new +kept)\n%s", seed, step, e.done, cmp.Diff(want, got, cmp.AllowUnexported(listed{})))
			}
		}
	}
	if kept == 0 {
		t.Error("nothing was kept")
	}
	t.Logf("%d listings were kept", kept)
}
