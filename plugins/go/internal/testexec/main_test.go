package testexec_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/plugins/go/internal/testexec"
)

// The first argument turns this test binary into one of these programs.
const (
	asProgram = "testexec"   // the program under test, with the rest as its arguments
	asBinary  = "testbinary" // a test binary that prints what it was given and exits with a code
	asWaiter  = "waiter"     // a test binary that waits for a signal
	asHanging = "hanging"    // a test binary with a test that hangs until its time is up
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case asProgram:
			dir, err := os.Getwd()
			if err != nil {
				panic(err)
			}
			os.Exit(testexec.Main(testexec.Process{
				Args: os.Args[2:], Env: os.Environ(), Dir: dir, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
			}))
		case asBinary:
			_, inherited := os.LookupEnv(testexec.TableVariable)
			fmt.Printf("args %q, table inherited: %v\n", os.Args[2:], inherited)
			code, err := strconv.Atoi(os.Getenv("EXIT_CODE"))
			if err != nil {
				code = 0
			}
			os.Exit(code)
		case asWaiter:
			waitForSignal()
		case asHanging:
			runHangingTest(os.Args[2:])
		}
	}
	goleak.VerifyTestMain(m)
}

// runHangingTest acts as a test binary with a single test, which hangs.
func runHangingTest(args []string) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "-test.run=") || strings.HasPrefix(arg, "-test.list=") {
			os.Exit(0)
		}
	}
	fmt.Print("\x16=== RUN   TestDone\n\x16--- PASS: TestDone (0.00s)\n\x16=== RUN   TestHanging\n")
	for _, arg := range args {
		if text, is := strings.CutPrefix(arg, "-test.timeout="); is {
			if limit, err := time.ParseDuration(text); err == nil {
				time.Sleep(limit)
			}
		}
	}
	os.Exit(2)
}

// writeTable writes a table and returns the variable setting that names it.
func writeTable(t *testing.T, content testexec.Table) string {
	t.Helper()
	data, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "table.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return testexec.TableVariable + "=" + path
}

// outcome is the result of a call of Main.
type outcome struct {
	code           int
	stdout, stderr string
}

func callMain(t *testing.T, dir string, env []string, args ...string) outcome {
	t.Helper()
	open := func(name string) *os.File {
		file, err := os.Create(filepath.Join(t.TempDir(), name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		return file
	}
	stdout, stderr := open("stdout"), open("stderr")
	code := testexec.Main(testexec.Process{
		Args: args, Env: append(env, "PATH="+os.Getenv("PATH")), Dir: dir, Stdin: nil, Stdout: stdout, Stderr: stderr,
	})
	read := func(file *os.File) string {
		data, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	return outcome{code: code, stdout: read(stdout), stderr: read(stderr)}
}

func testBinary(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMainRunsTheTestsOfItsPackage(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip("no symbolic links:", err)
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name       string
		table      testexec.Table
		dir, given string
		want       string
	}{
		{"replaced", testexec.Table{Flag: "run", Packages: []testexec.Package{{Dir: other, Expr: "^B$"}, {Dir: resolved, Expr: "^A$/^x y$"}}},
			dir, "-test.v -test.run=^$ rest", `["-test.v" "-test.run=^A$/^x y$" "rest"]`},
		{"everything", testexec.Table{Flag: "run", Packages: []testexec.Package{{Dir: resolved}}},
			dir, "-test.v -test.run=^$ rest", `["-test.v" "rest"]`},
		{"only the first of two", testexec.Table{Flag: "run", Packages: []testexec.Package{{Dir: resolved, Expr: "A"}}},
			dir, "-test.run=^$ -test.run=^$", `["-test.run=A" "-test.run=^$"]`},
		{"benchmarks", testexec.Table{Flag: "bench", Packages: []testexec.Package{{Dir: resolved, Expr: "^B$"}}},
			dir, "-test.run=^$ -test.bench=^$", `["-test.run=^$" "-test.bench=^B$"]`},
		{"started through a link", testexec.Table{Flag: "run", Packages: []testexec.Package{{Dir: resolved, Expr: "A"}}},
			link, "-test.run=^$", `["-test.run=A"]`},
		{"planned through a link", testexec.Table{Flag: "run", Packages: []testexec.Package{{Dir: link, Expr: "A"}}},
			dir, "-test.run=^$", `["-test.run=A"]`},
		{"no program for another platform", testexec.Table{Flag: "run", Cross: "go_no_such_exec", Packages: []testexec.Package{{Dir: resolved, Expr: "A"}}},
			dir, "-test.run=^$", `["-test.run=A"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := append([]string{testBinary(t), asBinary}, strings.Fields(test.given)...)
			got := callMain(t, test.dir, []string{writeTable(t, test.table)}, args...)
			want := "args " + test.want + ", table inherited: false\n"
			if got.stdout != want || got.code != 0 {
				t.Errorf("exit code %d\n got %s want %s%s", got.code, got.stdout, want, got.stderr)
			}
		})
	}
}

func TestMainFailsLoudlyInsteadOfGuessing(t *testing.T) {
	dir := t.TempDir()
	good := testexec.Table{Flag: "run", Packages: []testexec.Package{{Dir: dir, Expr: "A"}}}
	broken := filepath.Join(t.TempDir(), "broken.json")
	testfiles.Write(t, broken, `{"flag"`)
	for _, test := range []struct {
		name, dir, env, program, given, says string
	}{
		{"another package", t.TempDir(), writeTable(t, good), testBinary(t), "-test.run=^$", "no tests were planned for the package"},
		{"no expression to replace", dir, writeTable(t, good), testBinary(t), "-test.run=^A$", "-test.run=^$"},
		{"no table named", dir, "X=y", testBinary(t), "-test.run=^$", testexec.TableVariable},
		{"table is gone", dir, testexec.TableVariable + "=/no/such/file", testBinary(t), "-test.run=^$", "cannot read the table"},
		{"table is broken", dir, testexec.TableVariable + "=" + broken, testBinary(t), "-test.run=^$", "cannot read the table"},
		{"no test binary", dir, writeTable(t, good), "/no/such/binary", "-test.run=^$", "did not start"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := callMain(t, test.dir, []string{test.env}, test.program, asBinary, test.given)
			if got.code == 0 || !strings.Contains(got.stderr, test.says) {
				t.Errorf("exit code %d, message %q; want a failure that says %q", got.code, got.stderr, test.says)
			}
			if got.stdout != "" {
				t.Errorf("something ran: %s", got.stdout)
			}
		})
	}
}

func TestMainExitsWithTheCodeOfTheTests(t *testing.T) {
	dir := t.TempDir()
	setting := writeTable(t, testexec.Table{Flag: "run", Packages: []testexec.Package{{Dir: dir, Expr: "A"}}})
	for _, code := range []int{0, 1, 2, 7} {
		got := callMain(t, dir, []string{setting, fmt.Sprint("EXIT_CODE=", code)}, testBinary(t), asBinary, "-test.run=^$")
		if got.code != code {
			t.Errorf("exit code is %d, want %d", got.code, code)
		}
	}
}
