package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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

// replaceExport writes a file by renaming one beside it.
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
	f, err := os.CreateTemp(filepath.Dir(path), ".proctor-export-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename, as it should
	mode := fs.FileMode(exportMode)
	if old != nil {
		mode = old.Mode().Perm()
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Chmod(f.Name(), mode); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// exportMode is that of the other records: anyone may read what a project's tests
// did who can read the project.
const exportMode = 0o644
