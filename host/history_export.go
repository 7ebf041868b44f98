package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/proctorhq/proctor/host/internal/atomicfile"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
)

// MaxExportedEntries is how many entries an exported history has, as its format
// says.
const MaxExportedEntries = 1000

// Entries are how files stood at the end of sessions, the oldest first: the
// newest [MaxExportedEntries]. Without any record there are none.
func (h *Host) Entries(ctx context.Context, where Where) ([]record.Entry, error) {
	m, err := h.recall(ctx, where)
	var none *NoRunError
	if errors.As(err, &none) {
		return []record.Entry{}, nil
	}
	if err != nil {
		return nil, err
	}
	entries, err := m.history.Entries(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]record.Entry, 0, min(len(entries), MaxExportedEntries))
	for _, e := range entries[max(len(entries)-MaxExportedEntries, 0):] {
		e.Timestamp = e.Timestamp.UTC()
		out = append(out, e)
	}
	return out, nil
}

// ExportHistory writes [Host.Entries] to a file, as a JSON array, and says how many
// there are. What is at path is replaced as a whole or not at all, and only if it
// is a regular file.
func (h *Host) ExportHistory(ctx context.Context, where Where, path string) (int, error) {
	m, err := h.recall(ctx, where)
	var none *NoRunError
	if err == nil {
		err = m.spare(path)
	} else if errors.As(err, &none) {
		err = nil // no entries, and no records to spare
	}
	if err != nil {
		return 0, err
	}
	entries, err := h.Entries(ctx, where)
	if err != nil {
		return 0, err
	}
	data, err := report.JSON(entries)
	if err != nil {
		return 0, err
	}
	if err := replaceExport(path, data); err != nil {
		return 0, fmt.Errorf("the history was not exported to %s: %w", path, err)
	}
	return len(entries), nil
}

// replaceExport replaces a regular file, whose mode stays, or makes one.
func replaceExport(path string, data []byte) error {
	if path == "" {
		return errors.New("the name is empty")
	}
	old, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !old.Mode().IsRegular():
		return errors.New("what is there is not a regular file")
	}
	mode := fs.FileMode(exportMode)
	if old != nil {
		mode = old.Mode().Perm()
	}
	return atomicfile.WriteBytes(path, mode, data)
}

// exportMode is that of the other records: anyone may read what a project's tests
// did who can read the project.
const exportMode = 0o644
