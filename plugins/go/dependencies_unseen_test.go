package gotest_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Nothing records what is read before the first test, or through system calls: see
// package dependencies.
func TestDependenciesReportUnseenReads(t *testing.T) {
	requireGo(t)
	const head = "package p\n\nimport (\n\t\"os\"\n\t\"os/exec\"\n\t\"syscall\"\n\t\"testing\"\n)\n\nvar _, _, _, _ = os.Args, exec.ErrDot, syscall.EINVAL, testing.Short\n\n"
	const reads = "func load() { read() }\n\nfunc read() { os.ReadFile(\"testdata/a.json\") }\n\n"
	for _, test := range []struct {
		name, src string
		// opaque must occur in the reason, and data reports whether the files beside the
		// sources count.
		opaque string
		data   bool
	}{
		{"nothing", "func TestIt(t *testing.T) {}\n", "", false},
		{"a test reads", reads + "func TestIt(t *testing.T) { load() }\n", "", false},
		{"init reads", reads + "func init() { load() }\n", "", true},
		{"a variable reads", reads + "func value() int { load(); return 1 }\n\nvar x = value()\n", "", true},
		{"a variable reads with what it is handed", "func must(b []byte, err error) []byte { return b }\n\nvar x = must(os.ReadFile(\"testdata/a.json\"))\n", "", true},
		{"a function of a variable is called", "var x = func() int { os.Open(\"a.json\"); return 1 }()\n", "", true},
		{"a function of a variable is not called", "var x = []func(){func() { os.Open(\"a.json\") }}\n", "", false},
		{"a variable keeps what reads", "var load = os.ReadFile\n\nfunc TestIt(t *testing.T) { load(\"a.json\") }\n", "", false},
		{"nothing keeps what reads", "var _, err = os.ReadFile, error(nil)\n\nfunc init() { _ = err }\n", "", false},
		{"a variable that keeps what reads is used", "var load = os.ReadFile\n\nfunc init() { load(\"a.json\") }\n", "", true},
		{"a field keeps what reads", "type T struct{ open func(string) (*os.File, error) }\n\nvar x = &T{open: os.Open}\n\nfunc (t *T) Open() { t.open(\"a.json\") }\n\nfunc TestIt(t *testing.T) { x.Open() }\n", "", false},
		{"a field that keeps what reads is used", "type T struct{ open func(string) (*os.File, error) }\n\nvar x = T{open: os.Open}\n\nfunc (t *T) Open() { t.open(\"a.json\") }\n\nfunc init() { x.Open() }\n", "", true},
		{"a map keeps what reads", "var x = map[string]func(string) (*os.File, error){\"open\": os.Open}\n", "", true},
		{"a method reads", "type T struct{}\n\nfunc (T) Load() { os.ReadDir(\"testdata\") }\n\nfunc init() { new(T).Load() }\n", "", true},
		{"TestMain reads", reads + "func TestMain(m *testing.M) { load(); m.Run() }\n", "", true},
		{"TestMain runs the tests, and something else is named so", "type T struct{}\n\nfunc (T) Run() { os.ReadDir(\"testdata\") }\n\nfunc TestMain(m *testing.M) { m.Run() }\n", "", false},
		{"what is read lies elsewhere", "func init() { os.ReadFile(\"../a.json\") }\n", "os.ReadFile", true},
		{"TestMain starts a program", "func build() { exec.Command(\"go\", \"build\").Run() }\n\nfunc TestMain(m *testing.M) { build(); m.Run() }\n", "exec.Command", false},
		{"a test starts a program", "func TestIt(t *testing.T) { exec.Command(\"go\", \"build\").Run() }\n", "", false},
		{"a test reads by system calls", "func TestIt(t *testing.T) { syscall.Open(\"a.json\", 0, 0) }\n", "syscall.Open", false},
		{"a test kills", "func TestIt(t *testing.T) { syscall.Kill(1, 0) }\n", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			ws := newWorkspace(t, files{
				"go.mod": "module example.com/m\n\ngo 1.20\n", "p/p_test.go": head + test.src,
				"p/a.json": "{}", "p/testdata/a.json": "{}", "p/testdata/sub/b.go": "package b\n", "p/sub/c.json": "{}",
				"other/o_test.go": "package other" + testOf,
			})
			program, err := exec.LookPath("go")
			if err != nil {
				t.Fatal(err)
			}
			ws.Tools["go"] = program
			got := listDependencies(t, ws)
			why := got.opaque["example.com/m/p"]
			if (test.opaque == "") != (why == "") || !strings.Contains(why, test.opaque) {
				t.Errorf("the suite is opaque because of %q, want %q", why, test.opaque)
			}
			want := "p/p_test.go"
			if test.data && test.opaque == "" {
				want = "p/a.json p/p_test.go p/testdata/a.json p/testdata/sub/b.go"
			}
			built, _ := got.closure("example.com/m/p")
			if shown := ownFiles(ws.Root, built); shown != want {
				t.Errorf("files are %s, want %s", shown, want)
			}
			if other := got.opaque["example.com/m/other"]; other != "" {
				t.Errorf("the other suite is opaque: %s", other)
			}
		})
	}
}

// Then only its sources show that a test of another package makes it look whether a file exists.
func TestWhatReadsAndIsKeptCountsIfNoIndexLogsIt(t *testing.T) {
	requireGo(t)
	ws := newWorkspace(t, files{
		"go.mod": "module example.com/m\n\ngo 1.24\n", "helper/h.go": "package helper\n\nimport \"os\"\n\nvar Stat = os.Stat\n",
		"p/p_test.go": "package p\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m/helper\"\n)\n\nvar _, err = helper.Stat(\"x\")\n\nfunc TestA(t *testing.T) {}\n",
	})
	program, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]string{program: "", "": "example.com/m/helper can call os.Stat before the first test, and what that reads is unknown"} {
		if ws.Tools = map[string]string{}; tool != "" {
			ws.Tools["go"] = tool
		}
		if why := listDependencies(t, ws).opaque["example.com/m/p"]; why != want {
			t.Errorf("with the go command %q it is opaque because of %q, want %q", tool, why, want)
		}
	}
}

// The packages that wrap system calls are imported by many that read nothing.
func TestASuiteIsOpaqueIfItMakesSystemCallsNotIfItCould(t *testing.T) {
	requireGo(t)
	ws := newWorkspace(t, files{
		"go.mod":             "module example.com/m\n\ngo 1.20\n\nrequire golang.org/x/sys v0.1.0\n",
		"vendor/modules.txt": "# golang.org/x/sys v0.1.0\n## explicit\ngolang.org/x/sys/unix\n",
		"vendor/golang.org/x/sys/unix/u.go": "package unix\n\nimport \"syscall\"\n\nfunc Exec() error { return syscall.Exec(\"\", nil, nil) }\n" +
			"\nfunc Open() {}\n\nfunc Getpid() int { return syscall.Getpid() }\n",
		"asks/a.go":       "package asks\n\nimport \"golang.org/x/sys/unix\"\n\nfunc F() int { return unix.Getpid() }\n",
		"asks/a_test.go":  "package asks" + testOf,
		"reads/r.go":      "package reads\n\nimport \"golang.org/x/sys/unix\"\n\nfunc F() { unix.Open() }\n",
		"reads/r_test.go": "package reads" + testOf,
	})
	got := listDependencies(t, ws)
	if why := got.opaque["example.com/m/reads"]; !strings.Contains(why, "reads calls unix.Open") || len(got.opaque) != 1 {
		t.Errorf("opaque are %v", got.opaque)
	}
}

// A package is initialized in the directory of whatever test imports it.
func TestASuiteIsOpaqueIfAPackageReadsFilesDuringInitialization(t *testing.T) {
	requireGo(t)
	ws := newWorkspace(t, files{
		"go.mod":         "module example.com/m\n\ngo 1.20\n",
		"low/low.go":     "package low\n\nimport \"text/template\"\n\nvar x = template.Must(template.New(\"\").ParseFiles(\"a.txt\"))\n",
		"low/l_test.go":  "package low" + testOf,
		"mid/mid.go":     "package mid\n\nimport _ \"example.com/m/low\"\n",
		"top/t_test.go":  "package top\n\nimport (\n\t\"testing\"\n\n\t_ \"example.com/m/mid\"\n)\n\nfunc TestIt(t *testing.T) {}\n",
		"late/late.go":   "package late\n\nimport \"os\"\n\nfunc Late() { os.Open(\"a.txt\") }\n",
		"late/l_test.go": "package late" + testOf,
	})
	got := listDependencies(t, ws)
	for _, suite := range []string{"low", "mid", "top"} {
		if why := got.opaque["example.com/m/"+suite]; !strings.Contains(why, "low can call ParseFiles") {
			t.Errorf("%s is opaque because of %q", suite, why)
		}
		delete(got.opaque, "example.com/m/"+suite)
	}
	if len(got.opaque) > 0 {
		t.Errorf("nothing is hidden of %v", got.opaque)
	}
}

// The coverage is written before TestMain continues.
func TestASuiteIsOpaqueIfTestMainCallsProjectCodeAfterTheTests(t *testing.T) {
	requireGo(t)
	const head = "package p\n\nimport (\n\t\"os\"\n\t\"testing\"\n\n\t\"example.com/m/low\"\n)\n\nvar _, _ = os.Args, low.Low\n\n"
	for _, test := range []struct{ name, src, calls string }{
		{"nothing", "func TestMain(m *testing.M) { os.Exit(m.Run()) }\n", ""},
		{"before", "func TestMain(m *testing.M) { low.Low(); p(); os.Exit(m.Run()) }\n", ""},
		{"a function of Go", "func TestMain(m *testing.M) { code := m.Run(); println(code); os.RemoveAll(\"x\"); os.Exit(int(code)) }\n", ""},
		{"a function of the tests", "func TestMain(m *testing.M) { code := m.Run(); end(code); os.Exit(code) }\n\nfunc end(int) { os.Remove(\"x\"); end(1) }\n", ""},
		{"another package", "func TestMain(m *testing.M) { code := m.Run(); low.Low(); os.Exit(code) }\n", "low.Low"},
		{"around the tests", "func TestMain(m *testing.M) { low.Exit(m.Run()) }\n", "low.Exit"},
		{"the package itself", "func TestMain(m *testing.M) { if m.Run() == 0 { p() } }\n", "p"},
		{"by way of the tests", "func TestMain(m *testing.M) { m.Run(); end() }\n\nfunc end() { low.Low() }\n", "low.Low"},
		{"deferred", "func TestMain(m *testing.M) { defer func() { low.Low() }(); m.Run() }\n", "low.Low"},
		{"deferred where the tests are handed to", "func TestMain(m *testing.M) { os.Exit(run(m)) }\n\nfunc run(x *testing.M) int { defer low.Low(); return x.Run() }\n", "low.Low"},
		{"handed on", "func TestMain(m *testing.M) { low.Main(m) }\n", "low.Main"},
		{"handed on with a function", "func TestMain(m *testing.M) { c := m.Run(); each(p2); os.Exit(c) }\n\nfunc each(f func()) {}\n\nfunc p2() { low.Low() }\n", "low.Low"},
		{"a method", "func TestMain(m *testing.M) { c := m.Run(); x.Close(); os.Exit(c) }\n\nvar x = low.New()\n", "Close"},
		{"in a loop", "func TestMain(m *testing.M) { for range 2 { low.Low(); m.Run() } }\n", "low.Low"},
		{"no TestMain", "func end() { low.Low() }\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			ws := newWorkspace(t, files{
				"go.mod": "module example.com/m\n\ngo 1.22\n", "p/p.go": "package p\n\nfunc p() {}\n", "p/p_test.go": head + test.src,
				"low/low.go": "package low\n\nimport \"testing\"\n\nfunc Low() {}\n\nfunc Exit(int) {}\n\nfunc Main(*testing.M) {}\n\ntype T struct{}\n\nfunc (T) Close() {}\n\nfunc New() T { return T{} }\n",
			})
			why := listDependencies(t, ws).opaque["example.com/m/p"]
			if (why == "") != (test.calls == "") || test.calls != "" && !strings.Contains(why, "TestMain of example.com/m/p calls "+test.calls+" with or after its tests") {
				t.Errorf("the suite is opaque because of %q, want %q", why, test.calls)
			}
		})
	}
}
