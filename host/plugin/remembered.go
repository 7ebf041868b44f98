package plugin

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/atomicfile"
)

// Remembered holds the markers that plugins beside proctor named when they were last
// started. It is a file of the user's: a repository must not decide which plugins are
// asked. If anything is wrong with it, nothing is remembered.
type Remembered struct {
	path string
	now  func() time.Time
	told []toldMarkers
}

// toldMarkers are the markers of a binary, with its identity.
type toldMarkers struct {
	Binary  binaryIdentity `json:"binary"`
	Markers []string       `json:"markers"`
}

// binaryIdentity identifies a file at one time.
type binaryIdentity struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	Mtime  int64  `json:"mtime"`
	Ctime  int64  `json:"ctime"`
	Inode  uint64 `json:"inode"`
	Device uint64 `json:"device"`
}

const (
	// rememberedFile is the file's name.
	rememberedFile = "markers.json"
	// maxRemembered bounds the file, maxToldPlugins the plugins in it, and
	// maxToldMarkers the markers of each.
	maxRemembered  = 64 << 10
	maxToldPlugins = 50
	maxToldMarkers = 16
	// settled is how long a binary must have been unchanged. Two changes within the
	// granularity of file times would look the same.
	settled = 2 * time.Second
)

// OpenRemembered reads what is remembered in a directory of the user's; empty means
// nowhere.
func OpenRemembered(dir string, now func() time.Time) *Remembered {
	r := &Remembered{now: now}
	if !filepath.IsAbs(dir) {
		return r
	}
	r.path = filepath.Join(dir, rememberedFile)
	f, err := openOwn(r.path)
	if err != nil {
		return r
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxRemembered+1))
	if err != nil || len(raw) > maxRemembered || json.Unmarshal(raw, &r.told) != nil {
		r.told = nil
	}
	r.told = r.told[:min(len(r.told), maxToldPlugins)]
	return r
}

// lookup returns the markers of a binary; nil if unknown.
func (r *Remembered) lookup(id binaryIdentity) []string {
	for _, t := range r.told {
		if t.Binary == id && areNames(t.Markers) {
			return t.Markers
		}
	}
	return nil
}

// remember records the markers of a binary, the latest first. A failure does not matter:
// the plugin is asked again.
func (r *Remembered) remember(id binaryIdentity, markers []string) {
	now, known := identify(id.Path)
	fresh := r.now().Sub(time.Unix(0, max(id.Mtime, id.Ctime))) < settled
	if r.path == "" || !known || now != id || fresh || !areNames(markers) || slices.Equal(r.lookup(id), markers) {
		return
	}
	told := []toldMarkers{{id, markers}}
	for _, t := range r.told {
		if t.Binary.Path != id.Path && len(told) < maxToldPlugins {
			told = append(told, t)
		}
	}
	raw, err := json.Marshal(told)
	if err != nil || len(raw) > maxRemembered || os.MkdirAll(filepath.Dir(r.path), 0o700) != nil {
		return
	}
	if atomicfile.WriteBytes(r.path, 0o600, raw) == nil {
		r.told = told
	}
}

// liesIn reports whether the file is, or may be, in a directory.
func (r *Remembered) liesIn(dir string) bool {
	at, err := filepath.EvalSymlinks(filepath.Dir(r.path))
	if err != nil {
		at = filepath.Dir(r.path)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return true
	}
	rel, err := filepath.Rel(dir, at)
	return err != nil || filepath.IsLocal(rel)
}

// areNames reports whether a directory can be checked for all markers.
func areNames(markers []string) bool {
	return len(markers) > 0 && len(markers) <= maxToldMarkers && !slices.ContainsFunc(markers, func(name string) bool {
		return name == "" || name == "." || name == ".." || len(name) > 255 || strings.ContainsAny(name, "/\\*?[\x00")
	})
}
