package testexec

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// TableVariable names the environment variable with the path of the table. It is a
// variable, and not an argument, because the go command splits the value of -exec at
// spaces. The host reserves names that begin with PROCTOR_. The child does not inherit
// it.
const TableVariable = "GOTEST_EXEC_TABLE"

// Placeholder is the expression that the go command gets and that is replaced. It
// selects nothing: if it is not replaced, no test runs, which does not count as a pass.
const Placeholder = "^$"

// Table says what to run in each package.
type Table struct {
	// Flag is the test flag that is replaced, "run" or "bench".
	Flag string `json:"flag"`
	// Cross is a program that runs binaries for another platform, used if found, like
	// the go command does.
	Cross string `json:"cross,omitempty"`
	// Packages has an entry for each package.
	Packages []Package `json:"packages"`
	// Measure asks to run each test alone and to find out what it executes; Flag and
	// the expressions are unused then.
	Measure *Measure `json:"measure,omitempty"`
}

// Package says what to run in one package.
type Package struct {
	// Dir is the absolute directory, with symbolic links resolved.
	Dir string `json:"dir"`
	// Expr is the expression; empty runs everything.
	Expr string `json:"expr"`
	// Suite is its import path, if it is measured.
	Suite string `json:"suite,omitempty"`
}

func readTable(path string) (Table, error) {
	var table Table
	data, err := os.ReadFile(path)
	if err != nil {
		return table, err
	}
	if err := json.Unmarshal(data, &table); err != nil {
		return table, fmt.Errorf("%s: %w", path, err)
	}
	return table, nil
}

// find looks up a directory by name and, if that fails, as a file: names may differ in
// case or go through a mount.
func (t Table) find(dir string) (int, error) {
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	for i, pkg := range t.Packages {
		if pkg.Dir == dir {
			return i, nil
		}
	}
	own, err := os.Stat(dir)
	if err != nil {
		return 0, err
	}
	for i, pkg := range t.Packages {
		if other, err := os.Stat(pkg.Dir); err == nil && os.SameFile(own, other) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("no tests were planned for the package in %s; start a new run for it", dir)
}
