package golden

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxFileSize bounds one file of a case. A recording is also sent in chunks of one byte.
	maxFileSize = 16 << 20
	// maxCases bounds a directory of cases.
	maxCases = 1000
)

// Case is a recording in a directory, with what a plugin must report about it.
type Case struct {
	Recording
	// Dir is the directory it was read from.
	Dir string
	// Listing reports whether it is the output of a command of ListCmd.
	Listing bool
	// Want is nil if there is no want.json.
	Want *Want
}

// CaseError reports an unusable case.
type CaseError struct {
	// Path is the file or directory.
	Path   string
	Reason string
}

func (e *CaseError) Error() string {
	return fmt.Sprintf("case %s: %s; sdk/PROTOCOL.md describes the files of a case", e.Path, e.Reason)
}

// ReadCases reads every case below dir.
func ReadCases(ctx context.Context, dir string) ([]Case, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, &CaseError{Path: dir, Reason: "cannot be read: " + err.Error()}
	}
	var cases []Case
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		if len(cases) == maxCases {
			return nil, &CaseError{Path: dir, Reason: fmt.Sprintf("contains more than %d cases", maxCases)}
		}
		c, err := ReadCase(ctx, filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		return nil, &CaseError{Path: dir, Reason: "contains no case: give a directory with one directory for each recorded output"}
	}
	return cases, nil
}

// ReadCase reads one case.
func ReadCase(ctx context.Context, dir string) (Case, error) {
	c, err := ReadOutput(ctx, dir)
	if err != nil {
		return c, err
	}
	var want Want
	if found, err := readJSON(filepath.Join(dir, "want.json"), &want); err != nil {
		return c, err
	} else if found {
		c.Want = &want
	}
	return c, nil
}

// ReadOutput is like ReadCase without want.json, which need not exist yet.
func ReadOutput(_ context.Context, dir string) (Case, error) {
	c := Case{Dir: dir, Recording: Recording{Name: filepath.Base(dir), Exit: sdk.Exit{Unknown: true}}}
	for _, s := range []struct {
		name   string
		stream sdk.Stream
	}{{"stdout", sdk.Stdout}, {"stderr", sdk.Stderr}} {
		data, found, err := readStream(dir, s.name)
		if err != nil {
			return c, err
		}
		if found {
			c.Pieces = append(c.Pieces, Piece{Stream: s.stream, Data: data})
		}
	}
	if len(c.Pieces) == 0 {
		return c, &CaseError{Path: dir, Reason: "has neither stdout nor stderr"}
	}
	var end exitFile
	if found, err := readJSON(filepath.Join(dir, "exit.json"), &end); err != nil {
		return c, err
	} else if found {
		c.Exit = sdk.Exit{Code: end.Code, Signal: end.Signal, TimedOut: end.TimedOut, Cancelled: end.Cancelled}
	}
	var run runFile
	if _, err := readJSON(filepath.Join(dir, "run.json"), &run); err != nil {
		return c, err
	}
	c.Listing, c.Dependencies, c.Run = run.Listing, run.Dependencies, run.info()
	return c, nil
}

// readStream reads the file of a stream, whatever its extension.
func readStream(dir, name string) ([]byte, bool, error) {
	found, err := filepath.Glob(filepath.Join(quoteGlob(dir), name+".*"))
	if err != nil {
		return nil, false, &CaseError{Path: dir, Reason: err.Error()}
	}
	if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
		found = append(found, filepath.Join(dir, name))
	}
	switch len(found) {
	case 0:
		return nil, false, nil
	case 1:
		data, err := readFile(found[0])
		return data, true, err
	}
	return nil, false, &CaseError{Path: dir, Reason: "has more than one " + name}
}

// quoteGlob quotes the special characters of a pattern.
func quoteGlob(path string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(path)
}

// readFile reads a regular file of bounded size.
func readFile(path string) ([]byte, error) {
	f, err := openNonblocking(path) // opening a pipe would wait for a writer
	if err != nil {
		return nil, &CaseError{Path: path, Reason: err.Error()}
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, &CaseError{Path: path, Reason: "is not a regular file"}
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	switch {
	case err != nil:
		return nil, &CaseError{Path: path, Reason: err.Error()}
	case len(data) > maxFileSize:
		return nil, &CaseError{Path: path, Reason: fmt.Sprintf("has more than %d MiB", maxFileSize>>20)}
	}
	return data, nil
}

// readJSON reads a file if it exists. A misspelled field would be a check that never
// fails, so it is an error.
func readJSON(path string, into any) (bool, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	data, err := readFile(path)
	if err != nil {
		return false, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return false, &CaseError{Path: path, Reason: "is empty"}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		reason := strings.TrimPrefix(err.Error(), "json: ")
		if strings.HasPrefix(reason, "unknown field") {
			reason += " (its fields are " + strings.Join(fieldsOf(into), ", ") + ")"
		}
		return false, &CaseError{Path: path, Reason: reason}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return false, &CaseError{Path: path, Reason: "has data after its end"}
	}
	return true, nil
}
