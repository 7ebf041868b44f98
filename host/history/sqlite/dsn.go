package sqlite

import (
	"context"
	"database/sql"
	"net/url"
	"path/filepath"
	"strings"
	"time"
)

// How many milliseconds SQLite itself waits for a lock. Within writerWait it checks at
// least every 20 ms, later every 100 ms, which would miss a process that lets others in
// only for a moment; so [Database.begin] tries again instead.
const (
	lockedWait = "2000"
	writerWait = "50"
)

// pragmas are set on every connection. A page cache takes at most 8 MB, and nothing in
// a schema is trusted, because a database may come with a cloned repository.
var pragmas = []string{
	"synchronous(NORMAL)",
	"foreign_keys(ON)",
	"trusted_schema(OFF)",
	"cell_size_check(ON)",
	"cache_size(-8000)",
	"journal_size_limit(16777216)",
}

// dsn returns the database's address for the driver. Except for a new one, mode is rw:
// nothing is created.
func dsn(path, mode, lock, wait string, more ...string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	query := url.Values{"mode": {mode}, "_txlock": {lock}, "_dqs": {"0"}, "_defensive": {"1"}}
	query["_pragma"] = append(append([]string{"busy_timeout(" + wait + ")"}, pragmas...), more...)
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
}

// connectReadOnly prepares read-only connections: none of them creates anything beside
// the file. A settled database, without the files of a process that uses it, is read in
// place.
func connectReadOnly(path string, settled bool) (writer, reader *sql.DB, err error) {
	address := dsn(path, "ro", "deferred", lockedWait, "query_only(ON)")
	if settled {
		address += "&immutable=1"
	}
	if reader, err = openPool(address); err != nil {
		return nil, nil, err
	}
	reader.SetMaxIdleConns(readers)
	reader.SetConnMaxIdleTime(readerRest)
	if writer, err = openPool(address); err != nil {
		reader.Close()
	}
	return writer, reader, err
}

// readers is how many idle connections are kept for reading, and readerRest for how long.
// Each holds up to 8 MB of pages, in a process that may wait for its next call for hours.
const (
	readers    = 4
	readerRest = 30 * time.Second
)

// connect prepares the one connection that writes and those that read.
func connect(path string) (writer, reader *sql.DB, err error) {
	writer, err = openPool(dsn(path, "rw", "immediate", writerWait))
	if err != nil {
		return nil, nil, err
	}
	writer.SetMaxOpenConns(1)
	reader, err = openPool(dsn(path, "rw", "deferred", lockedWait, "query_only(ON)"))
	if err != nil {
		writer.Close()
		return nil, nil, err
	}
	// Open ones are unlimited: a reader may ask for more while it reads.
	reader.SetMaxIdleConns(readers)
	reader.SetConnMaxIdleTime(readerRest)
	return writer, reader, nil
}

// connectUnchecked prepares one more connection that writes. It checks no foreign key.
func connectUnchecked(ctx context.Context, path string) (*sql.DB, error) {
	conns, err := openPool(dsn(path, "rw", "immediate", writerWait))
	if err != nil {
		return nil, err
	}
	conns.SetMaxOpenConns(1)
	if _, err := conns.ExecContext(ctx, "PRAGMA foreign_keys = OFF"); err != nil {
		conns.Close()
		return nil, err
	}
	return conns, nil
}
