package gotest_test

import (
	"go/build"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

func TestIndexSeesProgramsAndLinksThatAreGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script is one of Unix")
	}
	ws := newModule(t, files{"testdata/x": "", "m_test.go": `package m

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestScript(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command(script).Run(); err != nil {
		t.Fatal(err)
	}
}

func TestLink(t *testing.T) {
	dir, link := t.TempDir(), ""
	target, err := filepath.Abs("testdata/x")
	if link = filepath.Join(dir, "link"); err != nil || os.Symlink(target, link) != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(link); err != nil {
		t.Fatal(err)
	}
}

func TestReadlink(t *testing.T) { _, _ = os.Readlink("testdata/x") }

func TestLooksUp(t *testing.T) { _, _ = exec.LookPath("sh") }

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, _ = os.ReadDir(dir)
}
`})
	for _, args := range [][]string{nil, {"-race"}, {"-trimpath"}} {
		if strings.Contains(strings.Join(args, " "), "race") && !canRace() {
			continue
		}
		found, _ := measureSuites(t, ws, sdk.IndexRequest{RunnerArgs: args}, suiteM)
		suite := found.suites[suiteM]
		for name, want := range map[string]string{
			"TestScript": "it may start another program: one that is gone", "TestLink": "it makes or reads links", "TestReadlink": "it makes or reads links",
			"TestLooksUp": "", "TestFiles": "",
		} {
			if got := findTest(t, suite, name); got.Alone != sdk.Passed || !strings.HasPrefix(got.Opaque, want) || (got.Opaque == "") != (want == "") {
				t.Errorf("%v: %+v, want %q", args, got, want)
			}
		}
	}
}

// canRace reports whether this Go can build with the race detector.
func canRace() bool {
	_, err := os.Stat(filepath.Join(build.Default.GOROOT, "src", "runtime", "race", "internal", "amd64v1", "race_linux.syso"))
	return err == nil && runtime.GOOS == "linux" && runtime.GOARCH == "amd64"
}

func TestIndexSeesWhatIsReadOrStartedBeforeTheFirstTest(t *testing.T) {
	const helper = `package helper

import (
	"os"
	"os/exec"
	"syscall"
)

func Load(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func Start() {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	if err := exec.Command(self, "-test.list=^$").Run(); err != nil {
		panic(err)
	}
}

func CloseAll() {
	for fd := 3; fd < 100; fd++ {
		_ = syscall.Close(fd)
	}
}

func Chdir() {
	if err := os.Chdir("testdata"); err != nil {
		panic(err)
	}
}

func Nothing() { _, _ = os.Getwd() }
`
	const reads, starts = "files may be read before the first test of the suite, and which ones is unknown", "another program is started"
	for _, test := range []struct{ name, code, want string }{
		{"variable of another package", "var _ = helper.Load(\"testdata/x\")", reads},
		{"function literal", "var load = func() string { return helper.Load(\"testdata/x\") }\n\nvar _ = load()", reads},
		{"its own program", "func init() {\n\tself, _ := os.Executable()\n\thelper.Load(self)\n}", reads},
		{"method value", "type v struct{}\n\nfunc (v) load() { helper.Load(\"testdata/x\") }\n\nfunc init() { new(sync.Once).Do(v{}.load) }", reads},
		{"function in a list", "func load() { helper.Load(\"testdata/x\") }\n\nfunc init() {\n\tfor _, f := range []func(){load} {\n\t\tf()\n\t}\n}", reads},
		{"other directory", "func TestMain(m *testing.M) {\n\thelper.Chdir()\n\thelper.Load(\"x\")\n\tos.Exit(m.Run())\n}", reads},
		{"after it closed everything", "func init() {\n\thelper.CloseAll()\n\thelper.Load(\"testdata/x\")\n}", reads},
		{"nothing, and no variable shows the log", "var logName = \"PROCTOR_EARLY\"\n\nfunc init() {\n\tlogName += \"_TEST_LOG\"\n\tif os.Getenv(logName) != \"\" {\n\t\tpanic(\"set\")\n\t}\n}", ""},
		{"program", "func TestMain(m *testing.M) {\n\tif os.Getenv(\"CHILD\") == \"\" {\n\t\tos.Setenv(\"CHILD\", \"1\")\n\t\thelper.Start()\n\t}\n\tos.Exit(m.Run())\n}", starts},
		{"nothing", "func init() { helper.Nothing() }", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			ws := newModule(t, files{
				"testdata/x": "", "helper/h.go": helper,
				"m_test.go": "package m\n\nimport (\n\t\"os\"\n\t\"sync\"\n\t\"testing\"\n\n\t\"example.com/m/helper\"\n)\n\nvar _ sync.Once\nvar _ = os.Exit\nvar _ = helper.Nothing\n\n" +
					test.code + "\n\nfunc TestA(t *testing.T) {}\n",
			})
			var read []string
			if test.want == reads {
				read = []string{"testdata/x"}
			}
			for _, cache := range []string{ws.Cache, ""} {
				// Without a directory for its files, an index has only the log of package testing.
				want := test.want
				if cache != "" && want == reads {
					want = ""
				}
				if test.name == "its own program" {
					read = nil
					if cache != "" {
						want = "it reads its own program"
					}
				}
				ws.Cache = cache
				found, ran := measureSuites(t, ws, sdk.IndexRequest{}, suiteM)
				got := findTest(t, found.suites[suiteM], "TestA")
				if got.Alone != sdk.Passed || !strings.Contains(got.Opaque, want) || (got.Opaque == "") != (want == "") ||
					want == "" && !slices.Equal(got.Reads, read) {
					t.Errorf("with the cache %q: %+v, want %q and that %q is read\n%s", cache, got, want, read, ran.text)
				}
			}
		})
	}
}

// Every test of a program with protobuf would depend on anything otherwise.
func TestIndexKnowsThatProtobufReadsItsOwnProgram(t *testing.T) {
	ws := newModule(t, files{
		"vendor/modules.txt":                           "# google.golang.org/protobuf v1.0.0\n## explicit\ngoogle.golang.org/protobuf/internal/detrand\ngoogle.golang.org/protobuf/proto\n",
		"vendor/google.golang.org/protobuf/proto/p.go": "package proto\n\nimport \"google.golang.org/protobuf/internal/detrand\"\n\nfunc Bool() bool { return detrand.Bool() }\n",
		"vendor/google.golang.org/protobuf/internal/detrand/d.go": `package detrand

import (
	"io"
	"os"
)

var seed = binaryHash()

func Bool() bool { return seed%2 == 0 }

func binaryHash() int {
	self, err := os.Executable()
	if err != nil {
		return 0
	}
	file, err := os.Open(self)
	if err != nil {
		return 0
	}
	defer file.Close()
	data, _ := io.ReadAll(file)
	sum := 0
	for _, b := range data {
		sum += int(b)
	}
	return sum
}
`,
		"testdata/x": "",
		"m_test.go": `package m

import (
	"os"
	"testing"

	"google.golang.org/protobuf/proto"
)

var _ = proto.Bool

func TestNothing(t *testing.T) {}

func TestReads(t *testing.T) { _, _ = os.Open("testdata/x") }

func TestSelf(t *testing.T) {
	self, _ := os.Executable()
	_, _ = os.ReadFile(self)
}
`,
		"named/n_test.go": `package named

import (
	"os"
	"testing"
)

var name = "google.golang.org/protobuf/internal/detrand.binaryHash"

func TestSelf(t *testing.T) {
	self, _ := os.Executable()
	_, _ = os.ReadFile(self + name[:0])
}
`})
	testfiles.WriteAll(t, ws.Root, files{"go.mod": "module example.com/m\n\ngo 1.24\n\nrequire google.golang.org/protobuf v1.0.0\n"})
	found, ran := measureSuites(t, ws, sdk.IndexRequest{}, suiteM, suiteM+"/named")
	if got := findTest(t, found.suites[suiteM+"/named"], "TestSelf"); got.Opaque != "it reads its own program, which is another one after each edit" {
		t.Errorf("a program that only names what draws lots: %+v", got)
	}
	for name, want := range map[string]string{"TestNothing": "", "TestReads": "", "TestSelf": "it reads its own program, which is another one after each edit"} {
		if got := findTest(t, found.suites[suiteM], name); got.Opaque != want || (len(got.Reads) == 1) != (name == "TestReads") {
			t.Errorf("%+v, want %q\n%s", got, want, ran.text)
		}
	}
}
