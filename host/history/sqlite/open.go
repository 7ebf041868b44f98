package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/proctorhq/proctor/host/history"
)

// Config says where the database is and whose records are meant.
type Config struct {
	// Path is the path of the database file. Its directory exists.
	Path string
	// Root is the absolute root of the workspace.
	Root string
	// Worktree is the git directory of the workspace's checkout; empty if there is
	// none.
	Worktree string
}

// Open opens the database, creating it if missing. An unusable one is set aside: then
// the store is a new one, and the error is a [*history.SetAsideError]. One made by a
// newer proctor is a [*NewerError]. With any other error than the first there is no
// store.
func Open(ctx context.Context, cfg Config) (history.Store, error) {
	if err := noLinks(cfg.Path); err != nil {
		return nil, nameFile(cfg.Path, err)
	}
	s, err := open(ctx, cfg)
	var aside *history.SetAsideError
	if needsLock(cfg.Path, err) {
		err = withLock(ctx, cfg.Path, func() (err error) {
			s, aside, err = settle(ctx, cfg)
			return err
		})
	}
	if err != nil {
		return nil, nameFile(cfg.Path, err)
	}
	if aside != nil {
		return newStore(s), aside
	}
	return newStore(s), nil
}

// OpenSound opens a database that exists, is sound and up to date. It neither creates nor
// repairs anything. In the background it makes the connections that a run needs: each takes
// a millisecond, and reads the schema.
func OpenSound(ctx context.Context, cfg Config) (history.Store, error) {
	if err := noLinks(cfg.Path); err != nil {
		return nil, nameFile(cfg.Path, err)
	}
	s, err := open(ctx, cfg)
	if err != nil {
		return nil, nameFile(cfg.Path, err)
	}
	s.recorders.Go(func() { connectAll(ctx, s) })
	return newStore(s), nil
}

// connectAll makes the connection that writes, and a second one that reads: the end of a run
// reads twice at once. Whoever needs one says what is wrong with it.
func connectAll(ctx context.Context, s *Database) {
	_ = s.writer.PingContext(ctx)
	first, err := s.reader.Conn(ctx)
	if err != nil {
		return
	}
	defer first.Close()
	if second, err := s.reader.Conn(ctx); err == nil {
		second.Close()
	}
}

// OpenReadOnly opens an existing database for reading. It writes nothing, not even beside
// the file: if a process died while writing, its last writes are in a log that can only be
// merged in a copy.
func OpenReadOnly(ctx context.Context, cfg Config) (history.Store, error) {
	s, err := openReadOnly(ctx, cfg)
	switch {
	case errors.Is(err, errAbsent):
		return nil, &fileError{cfg.Path, fs.ErrNotExist}
	case err != nil:
		return nil, nameFile(cfg.Path, err)
	}
	return newStore(s), nil
}

// OpenEmpty opens an empty database in place of one that is missing and cannot be made. It is
// removed when it is closed.
func OpenEmpty(ctx context.Context, cfg Config) (history.Store, error) {
	dir, err := os.MkdirTemp("", "proctor-history-")
	if err != nil {
		return nil, err
	}
	cfg.Path = filepath.Join(dir, filepath.Base(cfg.Path))
	db, err := Open(ctx, cfg)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	db.(*Store).copied = dir
	return db, nil
}

func openReadOnly(ctx context.Context, cfg Config) (*Database, error) {
	if err := noLinks(cfg.Path); err != nil {
		return nil, err
	}
	st, err := os.Lstat(cfg.Path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, errAbsent
	}
	if err != nil {
		return nil, err
	}
	s := &Database{path: cfg.Path, file: st, patience: patience, closed: make(chan struct{})}
	s.readOnly = sizesOf(cfg.Path)
	journal, used := s.readOnly[companions[0]] > 0, fileExists(cfg.Path+companions[1])
	path := cfg.Path
	if journal && !used {
		if s.copied, err = os.MkdirTemp("", "proctor-history-"); err != nil {
			return nil, err
		}
		if path, err = copyOf(cfg.Path, s.copied); err != nil {
			os.RemoveAll(s.copied)
			return nil, err
		}
		s.writer, s.reader, err = connect(path)
	} else {
		s.writer, s.reader, err = connectReadOnly(path, !used)
	}
	if err != nil {
		os.RemoveAll(s.copied)
		return nil, err
	}
	known := false
	if err = s.check(ctx); err == nil {
		known, err = s.recognize(ctx, s.reader, cfg)
	}
	if err == nil && !known {
		err = errAbsent
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// copyOf copies a database and its journal into a directory.
func copyOf(path, dir string) (string, error) {
	to := filepath.Join(dir, filepath.Base(path))
	for _, suffix := range []string{"", companions[0]} {
		from, err := os.Open(path + suffix)
		if err != nil {
			return "", err
		}
		file, err := os.OpenFile(to+suffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_, err = io.Copy(file, from)
			err = errors.Join(err, file.Close())
		}
		from.Close()
		if err != nil {
			return "", err
		}
	}
	return to, nil
}

// sizesOf returns the sizes and modification times of a database and its journal, which show
// whether a database that is only read has changed.
func sizesOf(path string) map[string]int64 {
	sizes := map[string]int64{}
	for _, suffix := range []string{"", companions[0]} {
		if st, err := os.Lstat(path + suffix); err == nil {
			sizes[suffix], sizes[suffix+"@"] = st.Size(), st.ModTime().UnixNano()
		}
	}
	return sizes
}

// errAbsent and errOlder are resolved by [settle].
var (
	errAbsent = errors.New("it does not exist")
	errOlder  = errors.New("it has an older schema")
)

// needsLock reports whether an open failed for a reason that [settle] can resolve, under the
// lock. Another process may be doing so.
func needsLock(path string, err error) bool {
	return err != nil && (errors.Is(err, errAbsent) || errors.Is(err, errOlder) || isDamage(err) || !fileExists(path))
}

// open opens an existing database that is sound and up to date.
func open(ctx context.Context, cfg Config) (*Database, error) {
	st, err := os.Lstat(cfg.Path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, errAbsent
	}
	if err != nil {
		return nil, err
	}
	if fileExists(cfg.Path + damageSuffix) {
		return nil, &damage{why: "it was found damaged in use"}
	}
	writer, reader, err := connect(cfg.Path)
	if err != nil {
		return nil, err
	}
	s := &Database{path: cfg.Path, file: st, writer: writer, reader: reader, patience: patience, closed: make(chan struct{})}
	if err = s.check(ctx); err == nil {
		err = s.identify(ctx, cfg)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// check checks what the file claims to be.
func (s *Database) check(ctx context.Context) error {
	var id, version int
	err := s.reader.QueryRowContext(ctx,
		"SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version)").Scan(&id, &version)
	switch {
	case err != nil:
		return err
	case id != applicationID:
		return &damage{why: "proctor did not create it"}
	case version > schemaVersion:
		return &NewerError{Path: s.path, Version: version, Ours: schemaVersion}
	case version < schemaVersion:
		return errOlder
	}
	return s.checkSchema(ctx)
}

// identify finds the workspace in the database, adding it if new. The git directory may
// become known later; another one is another workspace.
func (s *Database) identify(ctx context.Context, cfg Config) error {
	known, err := s.recognize(ctx, s.reader, cfg)
	if known || err != nil {
		return err
	}
	return s.transact(ctx, s.writer, func(tx *sql.Tx) error {
		if known, err := s.recognize(ctx, tx, cfg); known || err != nil {
			return err
		}
		there, err := workspacesAt(ctx, tx, cfg.Root)
		if err != nil {
			return err
		}
		for _, w := range there {
			if w.worktree == "" {
				s.workspace, s.lost = w.id, w.lost
				_, err := tx.ExecContext(ctx, "UPDATE workspaces SET worktree = ? WHERE id = ?", cfg.Worktree, w.id)
				return err
			}
		}
		// The same place under another git directory: what was outstanding there is
		// unknown here.
		s.lost = len(there) > 0
		s.workspace, err = addWorkspace(ctx, tx, cfg, s.lost)
		return err
	})
}

func (s *Database) recognize(ctx context.Context, q querier, cfg Config) (bool, error) {
	there, err := workspacesAt(ctx, q, cfg.Root)
	if err != nil {
		return false, err
	}
	for _, w := range there {
		if w.worktree == cfg.Worktree || cfg.Worktree == "" {
			s.workspace, s.lost = w.id, w.lost
			return true, nil
		}
	}
	return false, nil
}

// workspaceRow is a workspace in the database.
type workspaceRow struct {
	id       int64
	worktree string
	lost     bool
}

// workspacesAt returns those with a root, latest first.
func workspacesAt(ctx context.Context, q querier, root string) ([]workspaceRow, error) {
	return list(ctx, q, func(rows *sql.Rows, w *workspaceRow) error { return rows.Scan(&w.id, &w.worktree, &w.lost) },
		"SELECT id, worktree, lost FROM workspaces WHERE root = ? ORDER BY id DESC", root)
}

// settle does what only one process may do at a time: it sets aside what is damaged,
// creates what is missing, and upgrades what is old.
func settle(ctx context.Context, cfg Config) (*Database, *history.SetAsideError, error) {
	s, err := open(ctx, cfg) // another process may have been faster
	if err == nil {
		return s, nil, nil
	}
	var aside *history.SetAsideError
	orphan := errors.Is(err, errAbsent) && fileExists(cfg.Path+companions[0])
	if isDamage(err) || orphan {
		aside = &history.SetAsideError{Path: cfg.Path, Err: err}
		if aside.Aside, err = setAside(cfg.Path, time.Now()); err != nil {
			return nil, nil, err
		}
		err = errAbsent
	}
	switch {
	case errors.Is(err, errAbsent):
		err = create(ctx, cfg, wasSetAside(cfg.Path))
	case errors.Is(err, errOlder):
		err = upgrade(ctx, cfg.Path)
	}
	if err == nil {
		s, err = open(ctx, cfg)
	}
	return s, aside, err
}
