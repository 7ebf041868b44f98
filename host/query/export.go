package query

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/atomicfile"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
)

// Entries returns how files stood at the end of sessions, oldest first: the newest
// [api.MaxExportedEntries]. Without a record there are none.
func Entries(ctx context.Context, k *ledger.Keeper, where api.Where) ([]api.Entry, error) {
	led, err := ledger.OpenAt(ctx, k, where)
	if _, ok := errors.AsType[*api.NoRunError](err); ok {
		return []api.Entry{}, nil
	}
	if err != nil {
		return nil, err
	}
	entries, err := led.History.Entries(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]api.Entry, 0, min(len(entries), api.MaxExportedEntries))
	for _, e := range entries[max(len(entries)-api.MaxExportedEntries, 0):] {
		e.Timestamp = e.Timestamp.UTC()
		out = append(out, e)
	}
	return out, nil
}

// ExportHistory writes [Entries] to a file, as a JSON array, and returns their number.
// It replaces path atomically, and only if it is a regular file.
func ExportHistory(ctx context.Context, k *ledger.Keeper, where api.Where, path string) (int, error) {
	led, err := ledger.OpenAt(ctx, k, where)
	if err == nil {
		err = ledger.RefuseWithin(led, path)
	} else if _, ok := errors.AsType[*api.NoRunError](err); ok {
		err = nil // no entries, and no records to damage
	}
	if err != nil {
		return 0, err
	}
	entries, err := Entries(ctx, k, where)
	if err != nil {
		return 0, err
	}
	data, err := prose.JSON(entries)
	if err != nil {
		return 0, err
	}
	if err := replaceExport(path, data); err != nil {
		return 0, fmt.Errorf("exporting the history to %s: %w", path, err)
	}
	return len(entries), nil
}

// replaceExport replaces a regular file, keeping its mode, or creates one.
func replaceExport(path string, data []byte) error {
	if path == "" {
		return errors.New("the name of the file is empty")
	}
	old, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !old.Mode().IsRegular():
		return errors.New("it exists and is not a regular file")
	}
	mode := fs.FileMode(ledger.ExportMode)
	if old != nil {
		mode = old.Mode().Perm()
	}
	return atomicfile.WriteBytes(path, mode, data)
}
