package soak

// fault is an edit, and everything that must be red after it.
type fault struct {
	name           string
	file, old, new string
	// added reports whether the file is added rather than edited.
	added bool
	// status is the verdict of a run of everything.
	status string
	// red are the failures: "suite test", or the suite alone.
	red []string
	// asked is the failed test to query, and says what its output contains; empty if
	// there is none.
	asked, says string
	// line is the line of file whose tests are queried; 0 if none.
	line int
	// covering is one of these tests.
	covering string
}

const (
	pricePkg = "soak.example/shop/price"
	cartPkg  = "soak.example/shop/cart"
	stockPkg = "soak.example/shop/stock"
)

// faults are used in this order, over and over.
func faults() []fault {
	return []fault{
		{
			name: "a wrong constant", file: "price/price.go", old: "vat = 19", new: "vat = 20", status: "failed",
			red:   []string{pricePkg + " TestGross", cartPkg + " TestTotal/of_two"},
			asked: pricePkg + "/TestGross", says: "Gross(200) = 240, want 238", line: 6, covering: "TestGross",
		},
		{
			name: "a source that does not compile", file: "cart/cart.go", old: "sum := 0", new: "sum = 0", status: "build_failed",
			red: []string{cartPkg}, line: 14, covering: "TestLast",
		},
		{
			name: "a panic", file: "cart/cart.go", old: "items[len(items)-1]", new: "items[len(items)]", status: "failed",
			red:   []string{cartPkg + " TestLast"},
			asked: cartPkg + "/TestLast", says: "index out of range [2] with length 2", line: 14, covering: "TestLast",
		},
		{
			name: "a new test that fails", file: "stock/added_test.go", added: true, status: "failed",
			new:   "package stock\n\nimport \"testing\"\n\nfunc TestAdded(t *testing.T) { t.Error(\"it was added\") }\n",
			red:   []string{stockPkg + " TestAdded"},
			asked: stockPkg + "/TestAdded", says: "it was added",
		},
		{
			name: "a test that does not compile", file: "stock/stock_test.go", old: "len(\"nut\")", new: "length(\"nut\")", status: "build_failed",
			red: []string{stockPkg},
		},
		{
			name: "a wrong expectation", file: "cart/cart_test.go", old: "got != 2", new: "got == 2", status: "failed",
			red:   []string{cartPkg + " TestLast"},
			asked: cartPkg + "/TestLast", says: "Last = 2, want 2",
		},
	}
}
