package gotest_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

// bodies are possible contents of a package of a random module.
var bodies = []string{
	"func TestA(t *testing.T) {}",
	"func TestA(t *testing.T) { t.Run(\"x\", func(t *testing.T) {}); t.Run(\"y\", func(t *testing.T) { t.Skip() }) }",
	"func TestA(t *testing.T) { t.Parallel() }\nfunc TestB(t *testing.T) { t.Parallel(); t.Log(\"text\") }",
	"func TestA(t *testing.T) { t.Error(\"bad\") }\nfunc TestB(t *testing.T) {}",
	"func TestA(t *testing.T) { t.Run(\"x\", func(t *testing.T) { panic(\"x\") }) }",
	"func TestA(t *testing.T) {}\nfunc TestB(t *testing.T) { os.Exit(3) }",
	"func TestA(t *testing.T) {}\nfunc TestMain(m *testing.M) { m.Run(); os.Exit(1) }",
	"func TestA(t *testing.T) { undefined }",
	"func TestA(t *testing.T) {",
	"func TestA(t *testing.T) { t.Logf(\"%d\", \"vet\") }",
	"import _ \"example.com/m/nowhere\"\nfunc TestA(t *testing.T) {}",
	"import _ \"example.com/m/p0\"\nfunc TestA(t *testing.T) {}",
}

// TestNoCutOfARandomModuleIsGreen records `go test -json` of small random modules that
// are red according to `go test` itself, and cuts the recordings anywhere.
//
// PROCTOR_FUZZ=5m sets how long it runs; PROCTOR_FUZZ_SEED repeats a case.
func TestNoCutOfARandomModuleIsGreen(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go test")
	}
	limit, _ := time.ParseDuration(os.Getenv("PROCTOR_FUZZ"))
	seed := uint64(1)
	if limit > 0 {
		seed = uint64(time.Now().UnixNano())
	}
	if text := os.Getenv("PROCTOR_FUZZ_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("seeds from PROCTOR_FUZZ_SEED=%d on", seed)
	end := time.Now().Add(limit)
	modules, cuts := 0, 0
	for ; modules < 2 || time.Now().Before(end); modules++ {
		cuts += cutRandomModule(t, seed+uint64(modules))
	}
	if cuts == 0 {
		t.Errorf("%d modules were green", modules)
	}
	t.Logf("%d modules, %d cuts", modules, cuts)
}

func cutRandomModule(t *testing.T, seed uint64) (cuts int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 16))
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		testfiles.Write(t, path, text)
	}
	write("go.mod", "module example.com/m\n\ngo 1.20\n")
	for i := range 2 + r.IntN(4) {
		body, imports := bodies[r.IntN(len(bodies))], ""
		if rest, found := strings.CutPrefix(body, "import "); found {
			imports, body, _ = strings.Cut(rest, "\n")
		}
		if strings.Contains(body, "os.") {
			imports += "\n\"os\""
		}
		write(fmt.Sprintf("p%d/p_test.go", i), fmt.Sprintf("package p%d\n\nimport (\n%s\n\"testing\"\n)\n\n%s\n", i, imports, body))
		write(fmt.Sprintf("p%d/p.go", i), fmt.Sprintf("package p%d\n%s\n", i, []string{"", "", "", "var x int = \"text\""}[r.IntN(4)]))
	}
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "GOFLAGS=", "GOPROXY=off")
		return cmd
	}
	stream, err := command("test", "-json", "-count=1", "./...").Output()
	if err == nil {
		return 0 // it is green
	}
	if r.IntN(3) == 0 {
		// As recorded by a script that vets the sources first.
		vetted, _ := command("vet", "./...").CombinedOutput()
		stream = slices.Concat(vetted, stream)
	}
	recorded := replay{exit: sdk.Exit{Unknown: true}}
	recorded.run.Workspace.Root = []string{"", root}[r.IntN(2)]
	for at := 0; at <= len(stream); at++ {
		// After each line, and occasionally anywhere else.
		if at > 0 && stream[at-1] != '\n' && r.IntN(40) > 0 {
			continue
		}
		recorded.stdout = append([]byte(before), stream[:at]...)
		cuts++
		if isGreen(recorded.feed(t, feeding{})) && !hasAllEnds(recorded.stdout) {
			t.Fatalf("PROCTOR_FUZZ_SEED=%d: cut after %d of %d bytes it is green: …%q", seed, at, len(stream), stream[max(0, at-200):at])
		}
	}
	return cuts
}
