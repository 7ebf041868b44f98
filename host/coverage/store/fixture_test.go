package store_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/coverage/store"
	"github.com/proctorhq/proctor/sdk"
)

func open(t testing.TB) (*store.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "coverage")
	return store.New(store.Config{Dir: dir}), dir
}

func put(t testing.TB, s *store.Store, suites ...*coverage.Suite) {
	t.Helper()
	for _, suite := range suites {
		if err := s.Put(t.Context(), suite); err != nil {
			t.Fatal(err)
		}
	}
}

// kept returns the suites in the store, by name.
func kept(t testing.TB, s *store.Store, language, setting string) map[string]*coverage.Suite {
	t.Helper()
	suites, err := s.Suites(t.Context(), language, setting)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]*coverage.Suite{}
	for _, suite := range suites {
		names[suite.Suite] = suite
	}
	return names
}

// paths returns the files below a directory.
func paths(t testing.TB, dir string) []string {
	t.Helper()
	var all []string
	if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all = append(all, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// suiteOf makes a suite with everything in it: n sheets shared with others, and tests.
func suiteOf(name string, n, tests int) *coverage.Suite {
	s := &coverage.Suite{
		Language: "go", Suite: name, Setting: "plain", MeasuredAt: time.Date(2026, 11, 22, 10, 0, 0, 123456789, time.UTC),
		Granularity: api.GranularityTest, Why: "because", Cut: true, Opaque: "it uses C",
		Inputs: map[string]string{"testdata/x": ""}, Built: map[string]bool{}, Patterns: []string{"*.go", "a/**"},
	}
	blocks := 0
	for i := range n {
		sheet := &coverage.Sheet{Path: fmt.Sprintf("pkg%d/file.go", i), Digest: fmt.Sprintf("%024x", i*7919)}
		for k := range 400 {
			sheet.Lines = append(sheet.Lines, uint32(k*k*2654435761+i))
		}
		for k := range 20 {
			sheet.Units = append(sheet.Units, sdk.SourceUnit{
				Name: fmt.Sprint("Func", k), Kind: sdk.UnitBody, StartLine: 20*k + 1, EndLine: 20*k + 19, Digest: fmt.Sprintf("%016x", k*i+k), Positions: k == 3,
			})
		}
		for k := range 50 {
			sheet.Blocks = append(sheet.Blocks, sdk.Block{StartLine: 8*k + 1, StartColumn: 5, EndLine: 8*k + 7, EndColumn: 2, Statements: k % 5})
		}
		blocks += len(sheet.Blocks)
		s.Sheets = append(s.Sheets, sheet)
		s.Inputs[sheet.Path], s.Built[sheet.Path] = sheet.Digest, true
	}
	s.Sheets = append(s.Sheets, &coverage.Sheet{Path: name + "_test.go", Digest: "d", Units: []sdk.SourceUnit{}})
	for k := 0; k < blocks; k += 3 {
		s.Whole = s.Whole.Add(k)
	}
	if blocks > 0 {
		s.StartUp = s.StartUp.Add(0)
	}
	for i := range tests {
		test := coverage.Test{
			Name: fmt.Sprint("Test", i), Reads: []string{"testdata/x"}, Opaque: "it starts another program: go",
			Alone: sdk.Passed, Together: sdk.Failed, DurationS: 0.0125,
		}
		for k := i; k < blocks; k += 1 + blocks/210 {
			test.Blocks = test.Blocks.Add(k)
		}
		s.Tests = append(s.Tests, test)
	}
	return s
}
