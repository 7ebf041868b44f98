package source

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/install/archive"
	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// The modes of files; the store settles those of a plugin.
const (
	privateFile    = 0o600
	privateProgram = 0o700
	publicFile     = 0o644
)

// openOwnFile opens a file of a directory that must itself be regular: a link could
// lead to anything the user may read.
func openOwnFile(dir, name string) (*content, error) {
	path := filepath.Join(dir, name)
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &FetchError{Address: path, Reason: "it is not a regular file, and links are not followed"}
	}
	return openFile(path)
}

func copyOwnFile(ctx context.Context, from, to, name string, mode os.FileMode) error {
	c, err := openOwnFile(from, name)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.save(ctx, filepath.Join(to, name), archive.MaxFile, mode)
	return err
}

// saveFile copies an archive or a program and returns its hash.
func saveFile(ctx context.Context, from, to string, mode os.FileMode) (string, error) {
	c, err := openFile(from)
	if err != nil {
		return "", err
	}
	defer c.Close()
	return c.save(ctx, to, archive.MaxSize, mode)
}

// unpack unpacks an archive into an empty directory and examines the result. address is
// the archive's origin, for errors.
func unpack(ctx context.Context, packed, dir string, p manifest.Platform, address string) (contents, error) {
	err := archive.Unpack(ctx, packed, dir)
	if refused, ok := errors.AsType[*archive.RefusedError](err); ok {
		err = &archive.RefusedError{Path: address, Entry: refused.Entry, Reason: refused.Reason}
	}
	if err != nil {
		return contents{}, err
	}
	return inspect(ctx, dir, p, address)
}

// isBare reports whether what could not be unpacked is not an archive at all.
func isBare(path string, err error) bool {
	if _, ok := errors.AsType[*archive.RefusedError](err); !ok {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var begin [4]byte
	n, _ := io.ReadFull(f, begin[:])
	return !strings.HasPrefix(string(begin[:n]), "\x1f\x8b") && !strings.HasPrefix(string(begin[:n]), "PK\x03\x04")
}

// within returns an error unless the only version will do.
func within(constraint, path, name, version string) error {
	c, err := manifest.ParseConstraint(constraint)
	if err != nil {
		return err
	}
	if !c.Allows(version) && constraint != "" {
		return noVersion(path, name, constraint, index.Passed{Version: version, Reason: "is not within the constraint"})
	}
	return nil
}

// noBinary is the error for a plugin without a binary for a platform.
func noBinary(path string, m manifest.Manifest, p manifest.Platform) error {
	var have []string
	for platform := range m.Platforms {
		have = append(have, string(platform))
	}
	slices.Sort(have)
	return noVersion(path, m.Name, "", index.Passed{
		Version: m.Version, Reason: "has no binary for " + string(p) + ", but for " + strings.Join(have, ", "),
	})
}
