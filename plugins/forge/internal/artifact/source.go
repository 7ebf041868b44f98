package artifact

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/sha3"
)

// Source reads a source. A path within the root is read there, and no symlink leads it
// out. Only what the compiler itself has read may be elsewhere: below a linked folder
// of libraries, or at an absolute path.
func (p *Project) Source(ctx context.Context, path string) ([]byte, error) {
	if filepath.IsLocal(filepath.FromSlash(path)) {
		data, err := p.read(ctx, p.root, path, maxSource)
		if err == nil || errors.Is(err, fs.ErrNotExist) || !p.IsLibrary(path) {
			return data, err
		}
	}
	if err := p.checkElsewhere(path); err != nil {
		return nil, err
	}
	full := absolutePath(p.root, filepath.FromSlash(path), "")
	return p.read(ctx, filepath.Dir(full), filepath.Base(full), maxSource)
}

// checkElsewhere returns nil if a source outside of the root may be read.
func (p *Project) checkElsewhere(path string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.recorded[path] || !strings.HasSuffix(path, ".sol") {
		return fmt.Errorf("the source %q lies outside of the project and the compiler has not recorded it", path)
	}
	return nil
}

// IsFresh reports whether the compiler has seen a source as it is now. The index has the
// time of its last change. If that differs, as in a new checkout with a restored out/,
// the hash in an artifact's metadata decides; forge compares contents, too.
func (p *Project) IsFresh(ctx context.Context, path string) bool {
	f := p.files[path]
	if f == nil {
		return false
	}
	info, err := os.Stat(absolutePath(p.root, filepath.FromSlash(path), ""))
	if err != nil {
		return false
	}
	return info.ModTime().UnixMilli() == f.modified || p.isUnchanged(ctx, path, f)
}

func (p *Project) isUnchanged(ctx context.Context, path string, f *indexFile) bool {
	for _, at := range f.artifacts {
		data, err := p.read(ctx, p.out, at.path, maxArtifact)
		if err != nil {
			return false
		}
		text, _ := findField(data, "metadata", "sources")
		if text == nil {
			text, _ = findField([]byte(textOf(data, "rawMetadata")), "sources")
		}
		recorded := textOf(text, path, "keccak256")
		source, err := p.Source(ctx, path)
		if err != nil {
			return false
		}
		sum := keccak256(source)
		return recorded == "0x"+hex.EncodeToString(sum[:])
	}
	return false
}

// keccak256 is the hash in solc's metadata of each source: Keccak before it became
// SHA-3, which crypto/sha3 does not offer.
func keccak256(data []byte) [32]byte {
	hash := sha3.NewLegacyKeccak256()
	hash.Write(data)
	return [32]byte(hash.Sum(nil))
}
