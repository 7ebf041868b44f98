package api

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// Failure is one thing that went wrong.
type Failure struct {
	// ID names the failure within its run.
	ID    string `json:"id"`
	Suite string `json:"suite"`
	// Test is empty for a failure of the suite itself.
	Test string `json:"test"`
	// Kind: assertion, panic, fatal, timeout, race, exit, signal, build, vet,
	// setup, example, fuzz, or a word of the language.
	Kind string `json:"kind"`
	// File is relative to the workspace; absolute when outside of it.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Precision tells how well the place is known where the runner did not say
	// it: declaration or exact.
	Precision Precision `json:"precision,omitempty"`
	// NoLine reports whether running the test again would not find the line that
	// failed.
	NoLine    bool   `json:"-"`
	TestFrame *Place `json:"test_frame,omitempty"`
	Message   string `json:"message"`
	Diff      *Diff  `json:"diff,omitempty"`
	Also      []Also `json:"also,omitempty"`
	// Output is an excerpt; `proctor output TEST` has the whole.
	Output          string            `json:"output,omitempty"`
	OutputTruncated bool              `json:"output_truncated,omitempty"`
	Stack           []Frame           `json:"stack,omitempty"`
	DerivedFrom     []Test            `json:"derived_from,omitempty"`
	Blocks          []string          `json:"blocks,omitempty"`
	Repro           string            `json:"repro,omitempty"`
	Attributes      map[string]string `json:"attributes,omitempty"`
	// Signature names the cause: failures of one kind, with the same message up
	// to what differs from run to run, at the same place of the project have the
	// same one.
	Signature string `json:"signature,omitempty"`
	// Standing is what the history knows of the test; nil without a history.
	*Standing
}

// Precision tells how well a failure's place is known.
type Precision string

// The precisions; empty is as well as the runner says.
const (
	// Declaration: it is where the test is declared.
	Declaration Precision = "declaration"
	// Exact: it is the line that failed, although the runner did not say it.
	Exact Precision = "exact"
)

// Place is a place in a file.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
}

// Also is a further message of a failure.
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

// idLength is how many hexadecimal digits of a hash name a failure: enough to
// be unique within a run of a million failures.
const idLength = 12

// FailureID derives the name of a failure: equal failures of two runs have equal
// names. ordinal tells apart failures of one test and kind.
func FailureID(suite, test, kind string, ordinal int) string {
	sum := sha256.Sum256([]byte(suite + "\x00" + test + "\x00" + kind + "\x00" + strconv.Itoa(ordinal)))
	return hex.EncodeToString(sum[:])[:idLength]
}
