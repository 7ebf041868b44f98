package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

const (
	fileMode       = 0o644
	executableMode = 0o755
	// blockSize is how much is copied between checks of the context.
	blockSize = 64 << 10
)

// extraction is the unpacking of one archive.
type extraction struct {
	ctx    context.Context
	path   string
	target *os.Root
	limits limits
	// entries and total count what was unpacked so far; seen has the names, folded to
	// lower case as on some file systems.
	entries int
	total   int64
	seen    map[string]bool
	written []string
	block   []byte
}

func newExtraction(ctx context.Context, path string, target *os.Root, l limits) *extraction {
	return &extraction{ctx: ctx, path: path, target: target, limits: l, seen: map[string]bool{}, block: make([]byte, blockSize)}
}

func (x *extraction) refuse(entry, format string, args ...any) error {
	return &RefusedError{Path: x.path, Entry: quoteEntry(entry), Reason: fmt.Sprintf(format, args...)}
}

// count counts an entry of any kind.
func (x *extraction) count() error {
	if x.entries++; x.entries > x.limits.files {
		return x.refuse("", "it holds more than %d files", x.limits.files)
	}
	return x.ctx.Err()
}

// writeFile writes one file. declared is the size in its header; the actual size is counted.
func (x *extraction) writeFile(entry string, declared int64, content io.Reader) error {
	name, err := fileName(entry)
	if err != nil {
		return x.refuse(entry, "%v", err)
	}
	folded := strings.ToLower(name)
	if x.seen[folded] {
		return x.refuse(entry, "there are two files of this name")
	}
	x.seen[folded] = true
	if declared < 0 || declared > x.limits.file {
		return x.refuse(entry, "it has more than %d bytes", x.limits.file)
	}
	mode := fs.FileMode(fileMode)
	if strings.HasPrefix(name, manifest.BinaryPrefix) {
		mode = executableMode
	}
	f, err := x.target.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", x.path, err)
	}
	x.written = append(x.written, name)
	return errors.Join(f.Chmod(mode), x.copy(f, entry, content), f.Close())
}

func (x *extraction) copy(to io.Writer, entry string, content io.Reader) error {
	for size := int64(0); ; {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		n, readErr := content.Read(x.block)
		size += int64(n)
		x.total += int64(n)
		switch {
		case size > x.limits.file:
			return x.refuse(entry, "it has more than %d bytes", x.limits.file)
		case x.total > x.limits.total:
			return x.refuse("", "its files have more than %d bytes together", x.limits.total)
		}
		if _, err := to.Write(x.block[:n]); err != nil {
			return fmt.Errorf("unpack %s: %w", x.path, err)
		}
		if readErr == io.EOF {
			return nil
		}
		if readErr != nil {
			return x.explainReadError(entry, readErr)
		}
	}
}

// explainReadError explains an error from reading the archive: it is damaged, unless the file
// system or the context is to blame.
func (x *extraction) explainReadError(entry string, err error) error {
	var refused *RefusedError
	var file *fs.PathError
	switch {
	case x.ctx.Err() != nil:
		return x.ctx.Err()
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &file):
		return fmt.Errorf("unpack %s: %w", x.path, err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return x.refuse(entry, "the archive is cut short")
	}
	return x.refuse(entry, "the archive is damaged: %v", err)
}

// undo removes what was written.
func (x *extraction) undo() {
	for _, name := range x.written {
		_ = x.target.Remove(name)
	}
}
