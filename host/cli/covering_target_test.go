package cli

import (
	"slices"
	"testing"
)

func TestATargetIsAFileAndLinesOfIt(t *testing.T) {
	for _, c := range []struct {
		arg    string
		exists []string
		file   string
		lines  string
	}{
		{"a.go", []string{"a.go"}, "a.go", ""},
		{"a.go", nil, "a.go", ""},
		{"a.go:42", []string{"a.go"}, "a.go", "42"},
		{"a.go:42", nil, "a.go", "42"},
		{"a.go:42:", []string{"a.go"}, "a.go", "42"},
		{"a.go:40-60", []string{"a.go"}, "a.go", "40-60"},
		{"a.go:42:7", []string{"a.go"}, "a.go", "42"},
		{"a.go:42:7:", []string{"a.go"}, "a.go", "42"},
		{"a.go:40-60:7", []string{"a.go"}, "a.go", "40-60"},
		{"a.go:42:7", nil, "a.go", "42"},
		{`C:\x\a.go`, []string{`C:\x\a.go`}, `C:\x\a.go`, ""},
		{`C:\x\a.go`, nil, `C:\x\a.go`, ""},
		{`C:\x\a.go:42`, []string{`C:\x\a.go`}, `C:\x\a.go`, "42"},
		{`C:\x\a.go:42:7`, []string{`C:\x\a.go`}, `C:\x\a.go`, "42"},
		{"a:1", []string{"a:1", "a"}, "a:1", ""},
		{"a:1:2", []string{"a:1"}, "a:1", "2"},
		{"a:1:2", []string{"a:1", "a"}, "a", "1"},
		{"a:b:3-4", []string{"a:b"}, "a:b", "3-4"},
		{"a.go:x", []string{"a.go"}, "a.go", "x"},
		{"a.go:4,5", []string{"a.go"}, "a.go", "4,5"},
		{"a.go:", []string{"a.go"}, "a.go", ""},
		{"a.go:0", []string{"a.go"}, "a.go", "0"},
		{"a.go:9-4", []string{"a.go"}, "a.go", "9-4"},
		{":42", nil, ":42", ""},
		{"a\n.go:42", nil, "a\n.go:42", ""},
	} {
		file, lines := parseTarget(c.arg, func(file string) bool { return slices.Contains(c.exists, file) })
		if file != c.file || lines != c.lines {
			t.Errorf("%q, where there is %q: file %q, lines %q; want %q, %q", c.arg, c.exists, file, lines, c.file, c.lines)
		}
	}
}
