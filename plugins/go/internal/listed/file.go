package listed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/plugins/go/internal/wholefile"
)

// kind begins each file. There follow a line with the content of the state, one with the
// digest of the rest, one with the directories that must exist, and the listing.
const kind = "proctor go list 1\n"

// MaxListing bounds a listing that is kept, in bytes, and maxKept its file.
const (
	MaxListing = 32 << 20
	maxKept    = 2 * MaxListing
)

// Path returns where a listing with these words is kept.
func Path(dir string, words []string) string {
	l := looker{content: sha256.New()}
	l.add(words...)
	return filepath.Join(dir, sum(l.content))
}

// errOther reports that what is kept is of another state.
var errOther = errors.New("the sources changed since it was kept")

// Read returns the listing of a state.
func Read(path, content string) ([]byte, error) {
	file, err := source.Reader{}.Bytes(path, maxKept)
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(file, []byte(kind+content+"\n"))
	sum, body, _ := bytes.Cut(rest, []byte("\n"))
	line, listing, _ := bytes.Cut(body, []byte("\n"))
	var dirs []string
	if !ok || string(sum) != digest(body) || json.Unmarshal(line, &dirs) != nil {
		return nil, errOther
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, errOther
		}
	}
	return listing, nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// maxFiles is how many listings are kept: each selection and each build tag has its own.
const maxFiles = 8

// Write keeps a listing, completely or not at all. dirs must exist for it to be valid.
func Write(path, content string, dirs []string, listing []byte) error {
	line, err := json.Marshal(dirs)
	if err != nil || len(listing) > MaxListing {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	body := slices.Concat(line, []byte("\n"), listing)
	if err := wholefile.WriteBytes(path, slices.Concat([]byte(kind+content+"\n"+digest(body)+"\n"), body)); err != nil {
		return err
	}
	return sweep(dir)
}

// sweep removes all but the files written last.
func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= maxFiles {
		return err
	}
	var infos []fs.FileInfo
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, info := range infos[min(len(infos), maxFiles):] {
		if err := os.Remove(filepath.Join(dir, info.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
