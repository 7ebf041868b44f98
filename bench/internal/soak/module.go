package soak

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// module is what the soak works on: three packages that compile quickly. Its record
// keeps so few runs that pruning soon sets in, as in a workspace after some weeks.
func module() map[string]string {
	return map[string]string{
		"go.mod":        "module soak.example/shop\n\ngo 1.21\n",
		".proctor.toml": "[history]\nruns = 50\n",
		"price/price.go": `package price

const vat = 19

func Gross(net int) int {
	return net + net*vat/100
}
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
		"cart/cart.go": `package cart

import "soak.example/shop/price"

func Total(items []int) int {
	sum := 0
	for _, net := range items {
		sum += price.Gross(net)
	}
	return sum
}

func Last(items []int) int {
	return items[len(items)-1]
}
`,
		"cart/cart_test.go": `package cart

import "testing"

func TestTotal(t *testing.T) {
	t.Run("of_two", func(t *testing.T) {
		if got, want := Total([]int{100, 200}), 357; got != want {
			t.Errorf("Total = %d, want %d", got, want)
		}
	})
	t.Run("of_none", func(t *testing.T) {
		if got := Total(nil); got != 0 {
			t.Errorf("Total = %d, want 0", got)
		}
	})
}

func TestLast(t *testing.T) {
	if got := Last([]int{1, 2}); got != 2 {
		t.Errorf("Last = %d, want 2", got)
	}
}

func TestLater(t *testing.T) {}
`,
		"stock/stock_test.go": `package stock

import "testing"

func TestNames(t *testing.T) {
	if len("nut") != 3 {
		t.Error("wrong name")
	}
}
`,
	}
}

// passing is how many tests pass without faults.
const passing = 8

// replace replaces old with new in a file, and adds a comment that no earlier state of the file
// had, so that each edit is a new source state and must be compiled.
func replace(dir, file, old, new, comment string) error {
	path := filepath.Join(dir, filepath.FromSlash(file))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if strings.Count(string(text), old) != 1 {
		return fmt.Errorf("%s does not contain %q exactly once", file, old)
	}
	changed := strings.Replace(string(text), old, new, 1) + "\n// " + comment + "\n"
	return os.WriteFile(path, []byte(changed), 0o644)
}
