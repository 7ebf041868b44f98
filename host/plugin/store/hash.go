package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// hashScheme begins a hash as in lock files.
const hashScheme = "sha256:"

// hashBlock is how much is hashed between checks of the context.
const hashBlock = 256 << 10

// Hash returns the hash of a file's content as in lock files, "sha256:…".
func Hash(ctx context.Context, path string) (string, error) {
	f, err := openRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return hashOf(ctx, f)
}

func hashOf(ctx context.Context, r io.Reader) (string, error) {
	sum := sha256.New()
	for block := make([]byte, hashBlock); ; {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := r.Read(block)
		sum.Write(block[:n])
		if err == io.EOF {
			return hashScheme + hex.EncodeToString(sum.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// openRegular opens a regular file. Opening a pipe could block forever.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return os.Open(path)
}
