package sqlite

import (
	"database/sql"
	"net/url"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver
)

// driver is the name under which the driver is registered.
const driver = "sqlite"

// For how many milliseconds SQLite itself waits for a lock. In those of writerWait it
// looks every 20 ms at least, and every 100 ms later: too seldom to notice whoever
// lets others in for a moment. [Store.begin] asks again.
const (
	lockedWait = "2000"
	writerWait = "50"
)

// pragmas are set on every connection. A page cache takes at most 8 MB, and nothing
// that a schema contains is trusted, because a database may come with a cloned repository.
var pragmas = []string{
	"synchronous(NORMAL)",
	"foreign_keys(ON)",
	"trusted_schema(OFF)",
	"cell_size_check(ON)",
	"cache_size(-8000)",
	"journal_size_limit(16777216)",
}

// dsn is the address of the database for the driver. Other than for a new one,
// mode is rw: nothing is made where there is nothing.
func dsn(path, mode, lock, wait string, more ...string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	query := url.Values{"mode": {mode}, "_txlock": {lock}, "_dqs": {"0"}, "_defensive": {"1"}}
	query["_pragma"] = append(append([]string{"busy_timeout(" + wait + ")"}, pragmas...), more...)
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
}

// connectReadOnly prepares connections for one that may not write the file: none of
// them makes anything beside it. A database that is settled, without the files of a
// process that uses it, is read as it lies there.
func connectReadOnly(path string, settled bool) (writer, reader *sql.DB, err error) {
	address := dsn(path, "ro", "deferred", lockedWait, "query_only(ON)")
	if settled {
		address += "&immutable=1"
	}
	if reader, err = sql.Open(driver, address); err != nil {
		return nil, nil, err
	}
	reader.SetMaxIdleConns(readers)
	if writer, err = sql.Open(driver, address); err != nil {
		reader.Close()
	}
	return writer, reader, err
}

// readers is how many idle connections are kept for reading.
const readers = 4

// connect prepares the one connection that writes and those that read.
func connect(path string) (writer, reader *sql.DB, err error) {
	writer, err = sql.Open(driver, dsn(path, "rw", "immediate", writerWait))
	if err != nil {
		return nil, nil, err
	}
	writer.SetMaxOpenConns(1)
	reader, err = sql.Open(driver, dsn(path, "rw", "deferred", lockedWait, "query_only(ON)"))
	if err != nil {
		writer.Close()
		return nil, nil, err
	}
	// There is no limit on open ones: a reader may ask for more while it reads.
	reader.SetMaxIdleConns(readers)
	return writer, reader, nil
}
