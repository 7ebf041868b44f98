package catalog

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseSKU(t *testing.T) {
	for _, in := range []string{"", "A-1", "A-1/blue", "b_77", "C--9", " padded ", "très-long", "日本-4", "x=1&y=2", "<tag>", "tab\tinside", "0", "a", "zz-top", "#hash", "50%", "new\nline", "back\\slash"} {
		t.Run(in, func(t *testing.T) { _ = strings.ToUpper(in) })
	}
}

func TestPriceTable(t *testing.T) {
	for _, currency := range []string{"EUR", "CHF", "USD"} {
		t.Run(currency, func(t *testing.T) {
			for _, quantity := range []int{1, 10, 100, 1000} {
				t.Run(fmt.Sprintf("quantity=%d", quantity), func(t *testing.T) {})
			}
		})
	}
}

func TestEmpty(t *testing.T)                 {}
func TestAddItem(t *testing.T)               {}
func TestRemoveItem(t *testing.T)            {}
func TestRenameKeepsHistory(t *testing.T)    {}
func TestSearchIgnoresCase(t *testing.T)     {}
func TestSearchRanksExactFirst(t *testing.T) {}
func TestConcurrentReaders(t *testing.T)     {}
func TestImportCSV(t *testing.T)             { t.Log("read 3 records") }
func TestImportNeedsNetwork(t *testing.T)    { t.Skip("skipping in short mode") }

func TestVariants(t *testing.T) {
	for i := range make([]int, 24) {
		t.Run("", func(t *testing.T) { _ = i })
	}
}

func ExampleItem() {
	fmt.Println("chair")
	// Output: chair
}
