package job

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/proctorhq/proctor/fleet/internal/store"
)

// put stores an object of a job.
func put(ctx context.Context, s store.Store, name string, data []byte) error {
	_, err := s.Put(ctx, name, Seal(name, data))
	return err
}

// get reads an object of a job.
func get(ctx context.Context, s store.Store, name string) ([]byte, error) {
	raw, err := s.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	data, ok := unseal(name, raw)
	if !ok {
		return nil, fmt.Errorf("%s of the store is damaged, edited, copied from elsewhere, or of another version of proctor", name)
	}
	return data, nil
}

// Seal ends data with a digest of it and of the name under which it is stored. What was
// edited there, or copied from another attempt, part or run, is no evidence. There is no
// secret in it: whoever can write to the store could execute code instead.
func Seal(name string, data []byte) []byte {
	return append(bytes.Clone(data), sealOf(name, data)...)
}

func sealOf(name string, data []byte) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%d:%s", len(name), name)
	sum.Write(data)
	return "\n\"sha256:" + hex.EncodeToString(sum.Sum(nil)) + "\"\n"
}

// unseal returns the data without its seal, and whether that is right.
func unseal(name string, raw []byte) (data []byte, ok bool) {
	data = raw[:max(len(raw)-len(sealOf("", nil)), 0)]
	return data, string(raw[len(data):]) == sealOf(name, data)
}
