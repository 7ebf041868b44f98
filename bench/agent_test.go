package main

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/bench/internal/agent"
	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/internal/testbin"
)

// shop returns a small module without faults.
func shop() map[string]string {
	return map[string]string{
		"price/price.go": `package price

const vat = 19

func Gross(net int) int { return net + net*vat/100 }
`,
		"price/price_test.go": `package price

import "testing"

func TestGross(t *testing.T) {
	if got, want := Gross(200), 238; got != want {
		t.Errorf("Gross(200) = %d, want %d", got, want)
	}
}

func TestGrossOfNothing(t *testing.T) {
	if got := Gross(0); got != 0 {
		t.Errorf("Gross(0) = %d, want 0", got)
	}
}
`,
		"stock/stock_test.go": `package stock

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	if strings.ToUpper("nut") != "NUT" {
		t.Error("wrong name")
	}
}
`,
		"cart/cart.go": `package cart

func Last(items []string) string { return items[len(items)-1] }

func Count(items []string) int { return len(items) }
`,
		"cart/cart_test.go": `package cart

import (
	"fmt"
	"testing"
)

func TestLast(t *testing.T) {
	if got := Last([]string{"nut", "bolt"}); got != "bolt" {
		t.Errorf("the last is %q", got)
	}
}

func TestCount(t *testing.T) {
	n := Count([]string{"nut"})
	fmt.Println("counted", n)
	if n != 1 {
		t.FailNow()
	}
}
`,
		"chatty/chatty_test.go": `package chatty

import (
	"fmt"
	"testing"
)

func TestMany(t *testing.T) {
	for i := 0; i < 100; i++ {
		t.Run(fmt.Sprintf("case_%d", i), func(t *testing.T) { t.Log("all is well with case", i) })
	}
}
`,
	}
}

// shopFaults are a wrong constant, a test file that does not compile, a panic and, hidden by the
// panic, a test that fails silently: only its output says why.
func shopFaults() []agent.Fault {
	return []agent.Fault{
		{File: "price/price.go", Right: "vat = 19", Wrong: "vat = 20", Sign: "TestGross", Says: "Gross(200) = 240, want 238"},
		{File: "stock/stock_test.go", Right: "strings.ToUpper(", Wrong: "strings.Upper(", Sign: "stock/stock_test.go:", Says: "undefined: strings.Upper"},
		{File: "cart/cart.go", Right: "items[len(items)-1]", Wrong: "items[len(items)]", Sign: "cart/cart.go:", Says: "index out of range [2]"},
		{File: "cart/cart.go", Right: "return len(items) }", Wrong: "return len(items) + 1 }", Sign: "TestCount", Says: "counted 2"},
	}
}

// agentBench returns a bench with freshly built programs.
func agentBench(t *testing.T) *bench {
	t.Helper()
	bin := testbin.Dir() + string(filepath.Separator) // built before GOFLAGS is set
	t.Setenv("GOFLAGS", testbin.GoFlags())
	return &bench{dir: testbin.Place(t), out: io.Discard, log: io.Discard, bin: bin}
}

func TestAnAgentWithTools(t *testing.T) {
	needs.WholeSuite(t)
	b := agentBench(t)
	t.Run("fixes a module with nothing else", func(t *testing.T) { fixesWithTools(t, b) })
	t.Run("works all day", func(t *testing.T) { soaks(t, *b) })
	t.Run("does not guess", func(t *testing.T) {
		fault := shopFaults()[0]
		fault.Says = "what no result says"
		var stuck *agent.StuckError
		if err := attempted(t, b, shop(), fault); !errors.As(err, &stuck) || !strings.Contains(stuck.Last, "TestGross") {
			t.Errorf("got %v, want to be stuck at TestGross", err)
		}
	})
	t.Run("does not accept a green that hides a fault", func(t *testing.T) {
		fault := shopFaults()[0]
		files := shop()
		delete(files, "price/price_test.go")
		if err := attempted(t, b, files, fault); err == nil || !strings.HasSuffix(err.Error(), "there are still faults in "+fault.File) {
			t.Errorf("got %v, want a hidden fault in %s", err, fault.File)
		}
	})
}

func fixesWithTools(t *testing.T, b *bench) {
	source, err := b.writeModule("shop", shop())
	if err != nil {
		t.Fatal(err)
	}
	reports, err := b.fixEachWay(t.Context(), "shop", source, shopFaults())
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range b.attempts() {
		r, tools := reports[i], i < rawEvents
		// A run, a rerun that shows what the panic hid, a green one, and the last run;
		// with tools also one look at the output of the silent test.
		if r.Read.Texts < 4 || tools && r.Read.Texts < 5 {
			t.Errorf("%s: read only %d results, too few to fix everything", a.name, r.Read.Texts)
		}
		if told := r.Told.Texts > 0; told != tools {
			t.Errorf("%s: instructions and definitions cost %+v", a.name, r.Told)
		}
	}
	raw := reports[rawEvents].Read
	for i, a := range b.attempts()[:rawEvents] {
		if r := reports[i].Read; r.Tokens() >= raw.Tokens() {
			t.Errorf("%s costs %d tokens, go test -json %d", a.name, r.Tokens(), raw.Tokens())
		}
	}
	var out strings.Builder
	shown := &bench{out: &out}
	shown.printReports("shop", reports)
	for _, a := range b.attempts() {
		if !strings.Contains(out.String(), "\n| "+a.name+" |") {
			t.Errorf("%s is missing in\n%s", a.name, out.String())
		}
	}
}

// attempted has an agent with tools make a module green, and returns its error.
func attempted(t *testing.T, b *bench, files map[string]string, faults ...agent.Fault) error {
	t.Helper()
	dir, err := b.writeModule("one", files)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		if err := f.Inject(dir); err != nil {
			t.Fatal(err)
		}
	}
	var kept bytes.Buffer
	_, err = agent.Job{Dir: dir, Faults: faults, Kept: &kept}.Tools(t.Context(), filepath.Join(b.bin, "proctor"), agent.Object)
	if !strings.Contains(kept.String(), "=== run_tests: ") {
		t.Errorf("what was read is not kept:\n%s", kept.String())
	}
	return err
}

func TestAFaultMustFit(t *testing.T) {
	b := &bench{dir: t.TempDir()}
	dir, err := b.writeModule("shop", shop())
	if err != nil {
		t.Fatal(err)
	}
	fault := shopFaults()[0]
	fault.Right = "no such text"
	if err := fault.Inject(dir); err == nil {
		t.Error("a fault was injected where it does not fit")
	}
}

func TestAModuleThatDoesNotBuildIsNotMeasured(t *testing.T) {
	b := &bench{dir: t.TempDir(), log: io.Discard}
	source, err := b.writeModule("odd", map[string]string{"odd.go": "package odd\n\nfunc broken( {}\n"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.fixEachWay(t.Context(), "odd", source, nil); err == nil || !strings.Contains(err.Error(), "before it is broken") {
		t.Errorf("got %v", err)
	}
}
