package parse

import (
	"path/filepath"
	"testing"
)

func TestTheNameOfAFileIsPartOfWhetherItIsInEveryBuild(t *testing.T) {
	for name, want := range map[string]bool{"a_test.go": true, "a_linux_test.go": false} {
		if got := inEveryBuild(filepath.Join("nowhere", name), []byte("package p\n")); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if inEveryBuild("a_test.go", []byte("//go:build linux\n\npackage p\n")) {
		t.Error("a constraint was passed over")
	}
}
