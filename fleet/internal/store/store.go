package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"
)

// Store keeps objects by slash-separated names.
type Store interface {
	// Put stores an object durably unless the name is taken, and reports whether it did.
	Put(ctx context.Context, name string, data []byte) (stored bool, err error)
	// Get returns an object; the error is [fs.ErrNotExist] if there is none.
	Get(ctx context.Context, name string) ([]byte, error)
	// List returns the names below a prefix that ends with a slash, sorted.
	List(ctx context.Context, prefix string) ([]string, error)
}

// Cleaned is a store from which objects can be removed.
type Cleaned interface {
	// Ages returns when the objects were stored whose names begin with a prefix, which ends
	// with a slash.
	Ages(ctx context.Context, prefix string) (map[string]time.Time, error)
	// Remove removes an object, or with a slash at its end all that begin with it. What is
	// not there is removed already.
	Remove(ctx context.Context, name string) error
}

// Open opens a store by its address: a directory, or s3://ENDPOINT/BUCKET/PREFIX.
func Open(ctx context.Context, address string, getenv func(string) string) (Store, error) {
	switch {
	case address == "":
		return nil, fmt.Errorf("no store is named: give a directory that all machines share, or s3://ENDPOINT/BUCKET")
	case strings.HasPrefix(address, "s3://"), strings.HasPrefix(address, "s3+http://"):
		return openS3(ctx, address, getenv)
	}
	return openDir(address)
}

// PutSum stores data below a prefix under its digest, and returns the name.
func PutSum(ctx context.Context, s Store, prefix string, data []byte) (name string, err error) {
	name = prefix + sumName(data)
	_, err = s.Put(ctx, name, data)
	return name, err
}

// GetSum returns data stored by PutSum, having checked its digest.
func GetSum(ctx context.Context, s Store, name string) ([]byte, error) {
	data, err := s.Get(ctx, name)
	if err == nil && sumName(data) != path.Base(name) {
		return nil, fmt.Errorf("%s of the store is damaged: its content has another digest", name)
	}
	return data, err
}

func sumName(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// checkName refuses names that would lead out of the store.
func checkName(name string) error {
	if !fs.ValidPath(name) || name == "." {
		return fmt.Errorf("%q is not the name of an object", name)
	}
	return nil
}
