package cli

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

// moduleFiles returns the go.mod and go.sum files of this repository. Where these tests
// can be built, the module cache has their dependencies.
func moduleFiles(t *testing.T) files {
	t.Helper()
	tree := files{}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		tree[name] = string(data)
	}
	return tree
}

// listening is the address of a server of the machine.
func listening(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}
