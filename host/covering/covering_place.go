package covering

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/testlist"
)

// coveredLines checks a line or a range of them.
func coveredLines(text string) ([]coverage.Range, error) {
	if text = strings.TrimSpace(text); text == "" {
		return nil, nil
	}
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	from, err := strconv.Atoi(strings.TrimSpace(first))
	to, terr := strconv.Atoi(strings.TrimSpace(last))
	switch fix := "give a line or a range, as 42 or 40-60; lines count from 1"; {
	case err != nil, terr != nil, from < 1:
		return nil, &api.UsageError{Reason: fmt.Sprintf("lines %q are none", testlist.CutAt(prose.Line(text), testlist.MaxShown)), Fix: fix}
	case to < from:
		return nil, &api.UsageError{Reason: fmt.Sprintf("lines %d-%d end before they begin", from, to), Fix: fix}
	}
	return []coverage.Range{{First: from, Last: to}}, nil
}

// within cuts ranges to the lines that a file has. One that begins behind them is a
// [*UsageError], and so is any of a file that cannot be read as a source.
func within(ranges []coverage.Range, file string, lines []uint32) ([]coverage.Range, error) {
	for i, r := range ranges {
		switch {
		case lines == nil:
			return nil, &api.UsageError{Reason: prose.Line(file) + " is too large for a source, or cannot be read: it has no lines to ask for", Fix: "ask for the whole file"}
		case r.First > len(lines):
			return nil, &api.UsageError{Reason: fmt.Sprintf("%s has %d lines", prose.Line(file), len(lines)), Fix: "give a line that it has, or none for the whole file"}
		}
		ranges[i].Last = min(r.Last, len(lines))
	}
	return ranges, nil
}

// coveredFile finds a file of a workspace, whose path has no links, and returns its
// path from there. A link that leads out of the workspace is not one of its files.
func coveredFile(root, file string) (string, error) {
	shown := testlist.CutAt(prose.Line(file), testlist.MaxShown)
	fix := "name a file of the workspace, relative to " + root
	if strings.TrimSpace(file) == "" {
		return "", &api.UsageError{Reason: "no file is named", Fix: fix}
	}
	path := filepath.FromSlash(file)
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", &api.UsageError{Reason: "there is no file " + shown, Fix: fix + ", without a line"}
	}
	rel, err := filepath.Rel(root, resolved)
	if err != nil || !filepath.IsLocal(rel) {
		return "", &api.UsageError{Reason: shown + " lies outside of the workspace", Fix: fix}
	}
	if info, err := os.Stat(resolved); err != nil || !info.Mode().IsRegular() {
		return "", &api.UsageError{Reason: shown + " is not a regular file", Fix: fix}
	}
	return filepath.ToSlash(rel), nil
}
