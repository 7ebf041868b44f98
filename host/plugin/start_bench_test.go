//go:build unix

package plugin

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/host/plugin/held"
	"github.com/proctorhq/proctor/host/plugin/store"
	"github.com/proctorhq/proctor/sdk"
)

// BenchmarkStartDescribeClose measures what a command pays for its plugin.
// PROCTOR_BENCH_PLUGIN names a binary proctor-plugin-NAME to measure instead of the
// test binary.
func BenchmarkStartDescribeClose(b *testing.B) {
	config := benchConfig(b)
	for b.Loop() {
		p, err := Start(b.Context(), config)
		if err != nil {
			b.Fatal(err)
		}
		if err := p.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkVerify measures what starting a locked plugin adds: its binary is read and
// hashed.
func BenchmarkVerify(b *testing.B) {
	c := benchConfig(b).Candidate
	hash, err := store.Hash(b.Context(), c.Path)
	if err != nil {
		b.Fatal(err)
	}
	c.Lock = &Lock{Expected: held.Expectation{Hash: hash}}
	for b.Loop() {
		if err := c.Verify(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCall measures a call of a running plugin.
func BenchmarkCall(b *testing.B) {
	p, err := Start(b.Context(), benchConfig(b))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = p.Close(context.Background()) }()
	root := b.TempDir()
	for _, marker := range p.Identity().Markers {
		if err := os.WriteFile(filepath.Join(root, marker), nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := p.Detect(b.Context(), sdk.Workspace{Root: root}); err != nil {
			b.Fatal(err)
		}
	}
}

func benchConfig(b *testing.B) Config {
	b.Helper()
	root, err := os.MkdirTemp("", "pp")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(root) })
	candidate := Candidate{Name: "good", Path: installBinary(b, root, "good")}
	if path := os.Getenv("PROCTOR_BENCH_PLUGIN"); path != "" {
		name, _ := nameOfBinary(filepath.Base(path))
		candidate = Candidate{Name: name, Path: path}
	}
	return Config{Candidate: candidate, RunDir: filepath.Join(root, "run"), Environ: []string{"HOME=" + root}}
}
