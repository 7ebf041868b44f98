package text

import (
	"fmt"
	"testing"
)

func TestFold(t *testing.T) {
	for _, name := range []string{"ß", "İstanbul", "ΑΣ", "emoji👩‍👩‍👧", "mañana", "عربى", "combining_é", "plain"} {
		t.Run(name, func(t *testing.T) {})
	}
}

func TestColours(t *testing.T) {
	fmt.Println("\x1b[31mred\x1b[0m and \x1b[1;32mbold green\x1b[0m")
	fmt.Println(`{"level":"info","msg":"a structured line","took":"12ms"}`)
}

func TestWrap(t *testing.T) {
	for width := 1; width <= 20; width++ {
		t.Run(fmt.Sprintf("width=%d", width), func(t *testing.T) {})
	}
}

func TestTrim(t *testing.T)      {}
func TestTitle(t *testing.T)     {}
func TestEllipsis(t *testing.T)  {}
func TestGraphemes(t *testing.T) {}

func TestTemplates(t *testing.T) {
	for _, name := range []string{"if", "range", "with", "nested_block", "missing_key", "bad_func"} {
		t.Run(name, func(t *testing.T) { t.Logf("template %q is %d bytes long", name, 10*len(name)) })
	}
}
