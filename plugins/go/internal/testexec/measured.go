package testexec

import (
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/sdk"
)

// Measure says how the tests of a [Table] are measured.
type Measure struct {
	// Root is the absolute workspace, with symbolic links resolved.
	Root string `json:"root"`
	// DeadlineMillis is how long after the table was written measuring must be over; 0
	// means no limit.
	DeadlineMillis int64 `json:"deadline_millis,omitempty"`
	// BudgetMillis is how much longer the tests of a package may take one by one than
	// together; 0 means no limit.
	BudgetMillis int64 `json:"budget_millis,omitempty"`
	// TimeoutMillis is how long the tests may take together; 0 means no limit.
	TimeoutMillis int64 `json:"timeout_millis,omitempty"`
}

const (
	// measuredDir is the directory with the files, beside the table.
	measuredDir = "coverage"
	// maxMeasured bounds a file. A million blocks take 20 MB, each test an eighth of
	// one.
	maxMeasured = 1 << 30
)

// NotMeasuredError reports a package without a complete file.
type NotMeasuredError struct {
	// Begun reports whether its tests were started.
	Begun bool
}

// Error describes it.
func (e *NotMeasuredError) Error() string {
	if e.Begun {
		return "measuring ended while its tests were being measured"
	}
	return "its tests were not started"
}

// measuredPaths returns the file of a package, and the directory for what the runs of
// its tests leave. The directory exists from the start.
func measuredPaths(tablePath string, at int) (file, work string) {
	base := filepath.Join(filepath.Dir(tablePath), measuredDir, fmt.Sprint(at))
	return base + ".measured", base
}

// ReadTable reads a table, which says what was to be measured.
func ReadTable(path string) (Table, error) { return readTable(path) }

// ReadMeasured reads the measurement of package at of a table. Files are named as in
// coverage profiles. For an incomplete one the error is a [*NotMeasuredError].
func ReadMeasured(tablePath string, at int) (sdk.SuiteCoverage, error) {
	path, work := measuredPaths(tablePath, at)
	file, err := os.Open(path)
	if os.IsNotExist(err) {
		_, err := os.Stat(work)
		return sdk.SuiteCoverage{}, &NotMeasuredError{Begun: err == nil}
	}
	if err != nil {
		return sdk.SuiteCoverage{}, err
	}
	defer file.Close()
	var measured sdk.SuiteCoverage
	err = gob.NewDecoder(io.LimitReader(file, maxMeasured)).Decode(&measured)
	return measured, err
}
