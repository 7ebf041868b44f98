package cli

import (
	"fmt"
	"strings"
)

// Bodies of tests.
const (
	pass = ``
	fail = `t.Error("wrong")`
	skip = `t.Skip("not today")`
	// hang runs until it is killed.
	hang = `select {}`
	// broken fails until the variable FIXED is set: an edit without a new build.
	broken = `if os.Getenv("FIXED") == "" { t.Error("wrong") }`
)

// sub is a subtest.
func sub(name, body string) string {
	return fmt.Sprintf("t.Run(%q, func(t *testing.T) { ran(t); %s })\n", name, body)
}

// tests is the source of a test file: pairs of a test's name and its body. Each
// test first leaves its name in a file, so that it is known what really ran.
func tests(pkg string, pairs ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\n"+`import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"
)

var (
	_ = fmt.Sprint
	_ = time.Now

	// rounds counts what a test wants counted, as with -count.
	rounds atomic.Int32
	_ *testing.T
)

func ran(t interface{ Name() string }) {
	f, err := os.OpenFile(os.Getenv("RAN_FILE"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(f, %q, t.Name())
	f.Close()
}
`, pkg, pkg)
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, "\nfunc %s(t *testing.T) {\n\tran(t)\n\t%s\n}\n", pairs[i], pairs[i+1])
	}
	return b.String()
}

// Commands of tests in a shell.
const (
	shellPass   = `true`
	shellFail   = `echo wrong; false`
	shellBroken = `[ -n "$FIXED" ]`
)

// shellTests is a file of tests that are shell commands: pairs of a test's name and its
// command. It is for a suite what [tests] is for a package.
func shellTests(suite string, pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, "%[1]s echo %[2]s %[1]s >>\"$RAN_FILE\"; %[3]s\n", pairs[i], suite, pairs[i+1])
	}
	return b.String()
}

// testMain is a TestMain to put behind tests.
func testMain(body string) string {
	return fmt.Sprintf("\nfunc TestMain(m *testing.M) {\n\t%s\n}\n", body)
}
