package session

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
	"regexp"
	"time"
)

// replaceFile writes a file so that a reader sees the old content or the new
// one, also after a crash: a temporary file in the same folder, synced, renamed.
func replaceFile(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails after the rename, as it should
	if _, err := tmp.Write(data); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Sync(); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return rename(tmp.Name(), path)
}

// renameTries and renamePause give the readers of a small file, who may keep it
// from being replaced, a quarter of a second to get done.
const (
	renameTries = 25
	renamePause = 10 * time.Millisecond
)

func rename(from, to string) error {
	return insist(func() error { return os.Rename(from, to) }, inUse, func() { time.Sleep(renamePause) })
}

// insist repeats what failed only because something was busy.
func insist(do func() error, busy func(error) bool, pause func()) error {
	err := do()
	for n := 1; n < renameTries && err != nil && busy(err); n++ {
		pause()
		err = do()
	}
	return err
}

// openFile opens a file to read it. A link is refused: records that came with a
// cloned repository could make it lead anywhere.
func openFile(path string) (*os.File, error) {
	if err := noLink(path); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDONLY|noFollow, 0)
}

// noLink refuses what is there and is no regular file.
func noLink(path string) error {
	st, err := os.Lstat(path)
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	return err
}

// readJSON reads a file into v; found is false when there is none.
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

// fileName makes a session id usable as a file name; an id with other than
// plain characters is replaced by its hash, so that two ids never meet, also
// where upper and lower case are the same or a name means a device.
func fileName(id string) string {
	if len(id) <= maxPlainName && plainName.MatchString(id) && !deviceName.MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return hashMark + hex.EncodeToString(sum[:16])
}

// hashMark begins the file names that are hashes; no plain name begins with it.
const hashMark = "_"

// maxPlainName keeps file names short. It is not part of the pattern, where it
// would be compiled as that many copies at every start.
const maxPlainName = 64

var (
	plainName  = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)
	deviceName = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)
)
