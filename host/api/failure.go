package api

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// Failure is one thing that went wrong.
type Failure struct {
	// ID identifies the failure within its run.
	ID    string `json:"id"`
	Suite string `json:"suite"`
	// Test is empty if the suite itself failed.
	Test string `json:"test"`
	// Kind is assertion, panic, fatal, timeout, race, exit, signal, build, vet, setup,
	// example, fuzz, or a word of the language.
	Kind string `json:"kind"`
	// File is relative to the workspace, or absolute if outside of it.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Precision says how the place is known if the runner did not report it:
	// declaration or exact.
	Precision Precision `json:"precision,omitempty"`
	// NoLine reports whether running the test again would not find the line that
	// failed.
	NoLine    bool   `json:"-"`
	TestFrame *Place `json:"test_frame,omitempty"`
	Message   string `json:"message"`
	Diff      *Diff  `json:"diff,omitempty"`
	Also      []Also `json:"also,omitempty"`
	// Output is an excerpt; `proctor output TEST` prints all of it.
	Output          string            `json:"output,omitempty"`
	OutputTruncated bool              `json:"output_truncated,omitempty"`
	Stack           []Frame           `json:"stack,omitempty"`
	DerivedFrom     []Test            `json:"derived_from,omitempty"`
	Blocks          []string          `json:"blocks,omitempty"`
	Repro           string            `json:"repro,omitempty"`
	Attributes      map[string]string `json:"attributes,omitempty"`
	// Signature identifies the cause. Failures of one kind at the same place of the
	// project share it if their messages differ only in what varies from run to run.
	Signature string `json:"signature,omitempty"`
	// Standing is the test's history; nil without one.
	*Standing
}

// Precision says how precisely a failure's place is known.
type Precision string

// The precisions; empty means as precisely as the runner reports it.
const (
	// Declaration means that the place is the test's declaration.
	Declaration Precision = "declaration"
	// Exact means that it is the line that failed, although the runner did not report
	// it.
	Exact Precision = "exact"
)

// Place is a place in a file.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
}

// Also is an additional message of a failure.
type Also struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
}

// Diff is what an assertion compared.
type Diff struct {
	Got  string `json:"got,omitempty"`
	Want string `json:"want,omitempty"`
	Text string `json:"text,omitempty"`
}

// Frame is one frame of a stack.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
}

// idLength is the number of hexadecimal digits in a failure's id, enough to be unique
// in a run of a million failures.
const idLength = 12

// FailureID derives the id of a failure, so that equal failures of two runs have equal
// ids. ordinal distinguishes failures of one test and kind.
func FailureID(suite, test, kind string, ordinal int) string {
	sum := sha256.Sum256([]byte(suite + "\x00" + test + "\x00" + kind + "\x00" + strconv.Itoa(ordinal)))
	return hex.EncodeToString(sum[:])[:idLength]
}
