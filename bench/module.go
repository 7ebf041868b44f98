package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/bench/internal/edit"
)

// writeModule writes a Go module with files by slash-separated path.
func (b *bench) writeModule(name string, files map[string]string) (string, error) {
	dir := filepath.Join(b.dir, name)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	files["go.mod"] = "module bench.example/" + name + "\n\ngo 1.21\n"
	return dir, edit.WriteFiles(dir, files)
}

// realModules returns the modules to measure: those requested, or all, or in a quick round
// the first few of all.
func (b *bench) realModules(all string, few int) []string {
	switch {
	case b.modules != "":
		return strings.Split(b.modules, ",")
	case b.quick:
		return strings.Split(all, ",")[:few]
	}
	return strings.Split(all, ",")
}

// smallModule returns three packages with a few tests that do nothing.
func smallModule() map[string]string {
	files := map[string]string{}
	for _, pkg := range []string{"a", "b", "c"} {
		files[pkg+"/"+pkg+"_test.go"] = fmt.Sprintf(`package %s

import "testing"

func TestOne(t *testing.T)   {}
func TestTwo(t *testing.T)   { t.Log("two") }
func TestThree(t *testing.T) { t.Run("sub", func(t *testing.T) {}) }
`, pkg)
	}
	return files
}

// unchangedModule returns 30 packages with ten tests each.
func unchangedModule() map[string]string {
	const packages, tests = 30, 10
	files := map[string]string{}
	for p := range packages {
		var b strings.Builder
		fmt.Fprintf(&b, "package p%d\n\nimport \"testing\"\n", p)
		for t := range tests {
			fmt.Fprintf(&b, "\nfunc Test%d(t *testing.T) {\n\tif add(%d, 1) != %d {\n\t\tt.Error(\"wrong\")\n\t}\n}\n", t, t, t+1)
		}
		files[fmt.Sprintf("p%d/p_test.go", p)] = b.String()
		files[fmt.Sprintf("p%d/p.go", p)] = fmt.Sprintf("package p%d\n\nfunc add(x, y int) int { return x + y }\n", p)
	}
	return files
}

// busyModule returns packages whose tests compute for some seconds of processor time in
// total, and report like an ordinary suite.
func busyModule() map[string]string {
	const packages, tests = 6, 5
	files := map[string]string{}
	for p := range packages {
		var b strings.Builder
		fmt.Fprintf(&b, `package p%d

import (
	"crypto/sha256"
	"fmt"
	"testing"
)

func work(t *testing.T) {
	var block [64 << 10]byte
	for i := range make([]int, 12) {
		t.Run(fmt.Sprintf("part_%%d", i), func(t *testing.T) {
			for range make([]int, 150) {
				sum := sha256.Sum256(block[:])
				copy(block[:], sum[:])
			}
			t.Logf("%%x", block[:8])
		})
	}
}
`, p)
		for t := range tests {
			fmt.Fprintf(&b, "\nfunc TestWork%d(t *testing.T) { work(t) }\n", t)
		}
		files[fmt.Sprintf("p%d/p_test.go", p)] = b.String()
	}
	return files
}

// loudModule returns one test that prints a million lines.
func loudModule() map[string]string {
	return map[string]string{"loud/loud_test.go": `package loud

import (
	"fmt"
	"testing"
)

func TestLoud(t *testing.T) {
	for i := 0; i < 1_000_000; i++ {
		fmt.Println("line", i, "of a test that says what it does, at length")
	}
}
`}
}

// failing is how many tests of brokenModule fail.
const failing = 50

// brokenModule returns one package in which many tests fail and as many pass.
func brokenModule() map[string]string {
	var b strings.Builder
	b.WriteString("package broken\n\nimport \"testing\"\n")
	for i := range failing {
		fmt.Fprintf(&b, "\nfunc TestFine%02d(t *testing.T) {}\n\nfunc TestBroken%02d(t *testing.T) { t.Error(\"broken\") }\n", i, i)
	}
	return map[string]string{"broken/broken_test.go": b.String()}
}

// manyFailing is how many subtests of failingModule fail.
const manyFailing = 64_000

// failingModule returns one test whose many parts fail, each with its own message.
func failingModule() map[string]string {
	return map[string]string{"failing/failing_test.go": fmt.Sprintf(`package failing

import (
	"fmt"
	"testing"
)

func TestAll(t *testing.T) {
	for i := 0; i < %d; i++ {
		t.Run(fmt.Sprintf("case_%%06d", i), func(t *testing.T) { t.Errorf("got %%d", i) })
	}
}
`, manyFailing)}
}
