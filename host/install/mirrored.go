package install

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/install/source"
)

// maxSlug is how much of an address goes into the name of its directory: readable, and
// short enough for every file system.
const maxSlug = 40

// subdirectory names the directory of a source in a mirror of several: a readable part
// of its address, and a hash that keeps them distinct.
func subdirectory(address string) string {
	text := strings.TrimSuffix(address, "/"+index.File)
	if _, rest, ok := strings.Cut(text, "://"); ok {
		text = rest
	}
	slug := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(text))
	if len(slug) > maxSlug {
		slug = slug[len(slug)-maxSlug:]
	}
	sum := sha256.Sum256([]byte(address))
	return strings.Trim(slug, "-") + "-" + hex.EncodeToString(sum[:4])
}

// mirrorRoot returns the address of a mirror, without a trailing slash.
func mirrorRoot(text string) (string, error) {
	text = strings.TrimSuffix(text, "/"+index.File)
	if strings.Contains(text, "://") {
		return strings.TrimRight(text, "/"), nil
	}
	abs, err := filepath.Abs(text)
	if err != nil {
		return "", err
	}
	return strings.TrimRight(fileURL(abs), "/"), nil
}

// fileURL returns the address of an absolute path.
func fileURL(path string) string { return source.FileAddress(path) }
