package host

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
)

// The limits of a list of tests that cover something.
const (
	DefaultCoveringLimit = 50
	MaxCoveringLimit     = 500
)

// CoveringRequest asks which tests execute a file.
type CoveringRequest struct {
	Where Where
	// File is relative to the workspace, or absolute.
	File string
	// Lines is a line or a range of them, as "42" or "40-60"; empty is all.
	Lines string
}

// noCoverage is the answer while no run records coverage: an empty list would say
// that no test covers the file.
const noCoverage = "unknown: there is no coverage index, so it is not known which tests execute this"

// Covering says which tests execute a file or lines of it. No run records coverage
// yet, so that the answer is that nobody knows. What is no file of the workspace
// and no line of it is a [*UsageError].
func (h *Host) Covering(ctx context.Context, req CoveringRequest) (record.Covering, error) {
	lines, err := coveredLines(req.Lines)
	if err != nil {
		return record.Covering{}, err
	}
	root, err := h.Root(ctx, req.Where)
	if err != nil {
		return record.Covering{}, err
	}
	file, err := coveredFile(root, req.File)
	if err != nil {
		return record.Covering{}, err
	}
	return record.Covering{
		Schema: record.CoveringSchema, File: file, Lines: lines, Granularity: record.GranularityUnknown, Message: noCoverage,
	}, nil
}

// coveredLines checks a line or a range of them.
func coveredLines(text string) (string, error) {
	if text = strings.TrimSpace(text); text == "" {
		return "", nil
	}
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	from, err := strconv.Atoi(strings.TrimSpace(first))
	to, terr := strconv.Atoi(strings.TrimSpace(last))
	switch fix := "give a line or a range, as 42 or 40-60; lines count from 1"; {
	case err != nil, terr != nil, from < 1:
		return "", &UsageError{Reason: fmt.Sprintf("lines %q are none", cutAt(report.Line(text), maxShown)), Fix: fix}
	case to < from:
		return "", &UsageError{Reason: fmt.Sprintf("lines %d-%d end before they begin", from, to), Fix: fix}
	case from == to:
		return strconv.Itoa(from), nil
	}
	return fmt.Sprintf("%d-%d", from, to), nil
}

// coveredFile finds a file of a workspace, whose path has no links, and returns its
// path from there. A link that leads out of the workspace is not one of its files.
func coveredFile(root, file string) (string, error) {
	shown := cutAt(report.Line(file), maxShown)
	fix := "name a file of the workspace, relative to " + root
	if strings.TrimSpace(file) == "" {
		return "", &UsageError{Reason: "no file is named", Fix: fix}
	}
	path := filepath.FromSlash(file)
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", &UsageError{Reason: "there is no file " + shown, Fix: fix + ", without a line"}
	}
	rel, err := filepath.Rel(root, resolved)
	if err != nil || !filepath.IsLocal(rel) {
		return "", &UsageError{Reason: shown + " lies outside of the workspace", Fix: fix}
	}
	if info, err := os.Stat(resolved); err != nil || !info.Mode().IsRegular() {
		return "", &UsageError{Reason: shown + " is not a regular file", Fix: fix}
	}
	return filepath.ToSlash(rel), nil
}
