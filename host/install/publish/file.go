package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/atomicfile"
	"github.com/proctorhq/proctor/host/install/archive"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// errUnchanged keeps a file from being replaced by an equal one.
var errUnchanged = errors.New("the file is there already")

// writeArchive writes an archive and returns its hash. It keeps one that is in the index;
// any other was left by a process that was killed.
func (t *tree) writeArchive(ctx context.Context, p manifest.Platform, url string, files map[string][]byte) (string, error) {
	target := filepath.Join(t.cfg.Out, filepath.FromSlash(url))
	old, indexed := t.published()[p]
	if indexed && isSame(target, old.SHA256) {
		return old.SHA256, t.checkHolds(ctx, p, target, files)
	}
	if err := os.MkdirAll(filepath.Dir(target), newTree); err != nil {
		return "", err
	}
	bin := map[string]bool{manifest.BinaryName(t.whole.Name, p): true}
	var sum string
	_, err := atomicfile.Write(target, published, func(w io.Writer) error {
		h := sha256.New()
		if err := archive.Pack(ctx, io.MultiWriter(w, h), archive.FormatFor(p), files, bin); err != nil {
			return err
		}
		sum = hex.EncodeToString(h.Sum(nil))
		switch {
		case indexed && old.BinSHA256 != t.whole.Platforms[p].SHA256:
			return t.publishedError(p, t.whole.Platforms[p].Bin, old.BinSHA256, t.whole.Platforms[p].SHA256)
		case indexed && old.SHA256 != sum:
			return t.publishedError(p, "", old.SHA256, sum)
		case isSame(target, sum):
			return errUnchanged
		}
		return nil
	})
	switch {
	case errors.Is(err, errUnchanged):
	case err != nil:
		return "", err
	default:
		t.written = append(t.written, url)
		if !indexed {
			t.unnamed = append(t.unnamed, url)
		}
	}
	return sum, nil
}

// isSame reports whether a file's content has this hash.
func isSame(path, sum string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return err == nil && hex.EncodeToString(h.Sum(nil)) == sum
}

// readBinary reads a program.
func readBinary(path string, p manifest.Platform) ([]byte, error) {
	info, err := os.Stat(path)
	reason := ""
	switch {
	case err != nil:
		reason = err.Error()
	case !info.Mode().IsRegular():
		reason = "it is not a regular file"
	case info.Size() == 0:
		reason = "it is empty"
	case info.Size() > archive.MaxFile:
		reason = fmt.Sprintf("it has more than %d bytes", int64(archive.MaxFile))
	}
	if reason != "" {
		return nil, fmt.Errorf("%s, the program for %s, cannot be packed: %s", path, p, reason)
	}
	return os.ReadFile(path)
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
