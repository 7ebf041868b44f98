package artifacts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/atomicfile"
	"github.com/proctorhq/proctor/internal/lazyregexp"
)

// durability says what a written file has to survive.
type durability int

// A synced file survives a power failure, a visible one the end of this process.
//
// What a run writes as it begins is only visible: other processes see that it is in
// progress, and if it is killed they end it. A power failure can lose such a run, but no
// verdict that anybody was told: at worst it is as if the run had not been started, and
// what was outstanding still is, since that was synced with the run that left it. The end
// of a run is synced before its verdict is told.
const (
	synced durability = iota
	visible
)

// replaceFile writes a file atomically.
func replaceFile(path string, data []byte, survives durability) error {
	mode := os.FileMode(0o600)
	if dir, err := os.Stat(filepath.Dir(path)); err == nil {
		mode |= dir.Mode().Perm() & 0o444 // whoever may list the records may read them
	}
	if survives == visible {
		return atomicfile.WriteUnsynced(path, mode, data)
	}
	return atomicfile.WriteBytes(path, mode, data)
}

// openFile opens a file for reading. It refuses links: in a cloned repository they could
// lead anywhere.
func openFile(path string) (*os.File, error) {
	if err := noLink(path); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDONLY|noFollow, 0)
}

// noLink refuses anything but a regular file.
func noLink(path string) error {
	st, err := os.Lstat(path)
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	return err
}

// isAbsent reports whether an error means that nothing is there, rather than that it
// cannot be reached.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// readJSON reads a file into v; found is false if there is none.
func readJSON(path string, v any) (found bool, err error) {
	f, err := openFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	raw, err := io.ReadAll(f)
	if err == nil {
		err = json.Unmarshal(raw, v)
	}
	return true, err
}

// fileName turns a session id into a file name. An id with unusual characters is replaced
// by its hash, so that two ids never collide, even where case is ignored or a name means a
// device.
func fileName(id string) string {
	if len(id) <= api.MaxPlainName && plainName.MatchString(id) && !deviceName.MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return hashMark + hex.EncodeToString(sum[:16])
}

// hashMark begins the file names that are hashes; no plain name begins with it.
const hashMark = "_"

var (
	plainName  = lazyregexp.New(`^[a-z0-9][a-z0-9_-]*$`)
	deviceName = lazyregexp.New(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)
)
