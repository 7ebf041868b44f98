package testexec

import (
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/sdk"
)

// Measure is how the tests of a [Table] are measured.
type Measure struct {
	// Root is the absolute workspace, symbolic links resolved.
	Root string `json:"root"`
	// DeadlineMillis is how long after the table was written the measuring has to be
	// over; 0 is no limit.
	DeadlineMillis int64 `json:"deadline_millis,omitempty"`
	// BudgetMillis is how much longer the tests of a package may take one by one than
	// together; 0 is no limit.
	BudgetMillis int64 `json:"budget_millis,omitempty"`
	// TimeoutMillis is how long the tests may take together; 0 is without end.
	TimeoutMillis int64 `json:"timeout_millis,omitempty"`
}

const (
	// measuredDir is the directory beside the table in which the files lie.
	measuredDir = "coverage"
	// maxMeasured bounds a file. A million blocks take 20 MB, each test an eighth of
	// one.
	maxMeasured = 1 << 30
)

// NotMeasuredError is a package of which there is no whole file.
type NotMeasuredError struct {
	// Begun reports whether its tests were started.
	Begun bool
}

// Error says what is known.
func (e *NotMeasuredError) Error() string {
	if e.Begun {
		return "its tests were measured when the measuring was ended"
	}
	return "its tests were not started"
}

// measuredPaths are the file of a package, and the directory in which the runs of its
// tests leave theirs. The directory is there from the beginning on.
func measuredPaths(tablePath string, at int) (file, work string) {
	base := filepath.Join(filepath.Dir(tablePath), measuredDir, fmt.Sprint(at))
	return base + ".measured", base
}

// ReadTable reads a table, to know what was to be measured.
func ReadTable(path string) (Table, error) { return readTable(path) }

// ReadMeasured reads what was measured of package at of a table. Files have the names
// that coverage profiles give them. What is not whole is a [*NotMeasuredError].
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

// writeMeasured writes a file whole or not at all.
func writeMeasured(path string, measured sdk.SuiteCoverage) error {
	file, err := os.CreateTemp(filepath.Dir(path), "unfinished-")
	if err != nil {
		return err
	}
	err = gob.NewEncoder(file).Encode(measured)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // The error before says more.
	}
	return err
}
