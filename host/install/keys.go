package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/proctorhq/proctor/host/atomicfile"
	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/manifest/document"
)

// keysSchema is the version of the key file's format.
const keysSchema = 1

// maxKeys is the longest key file accepted, in bytes: thousands of indexes.
const maxKeys = 1 << 20

// keys is the file of pinned index keys.
type keys struct {
	Schema int            `json:"schema"`
	Keys   map[string]pin `json:"keys"`
}

// pin is the key of an index.
type pin struct {
	Key      string    `json:"key"`
	PinnedAt time.Time `json:"pinned_at"`
}

// readKeys reads the file. A missing one is empty.
func readKeys(path string) (keys, error) {
	k := keys{Schema: keysSchema, Keys: map[string]pin{}}
	data, err := lock.ReadOwn(path, maxKeys)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err == nil {
		k, err = parseKeys(filepath.Base(path), data)
	}
	if err != nil {
		return keys{}, unusableKeys(path, err)
	}
	return k, nil
}

// parseKeys parses the file, as strictly as files from others: a missed pin would admit
// another key.
func parseKeys(name string, data []byte) (keys, error) {
	var k keys
	err := manifest.ReadDocument(data, maxKeys, name, keysSchema, &k.Schema, func(r *document.Reader) error {
		// The next pin would lose a field of a newer proctor.
		r.Strict()
		return r.Object(document.Fields{
			"schema": func() error { return r.Number(&k.Schema) },
			"keys": func() error {
				k.Keys = map[string]pin{}
				return r.Map(func(address string) error {
					p, err := readPin(r)
					k.Keys[address] = p
					return err
				})
			},
		})
	})
	if err == nil && k.Keys == nil {
		err = &document.Error{Field: "keys", Line: 1, Reason: "is missing"}
	}
	return k, err
}

func readPin(r *document.Reader) (pin, error) {
	var p pin
	err := r.Object(document.Fields{
		"key": func() error { return r.Text(&p.Key) },
		"pinned_at": func() error {
			var at string
			if err := r.Text(&at); err != nil {
				return err
			}
			var err error
			if p.PinnedAt, err = time.Parse(time.RFC3339, at); err != nil {
				return r.Fail("is not a time, such as 2026-01-02T15:04:05Z")
			}
			return nil
		},
	})
	if err != nil {
		return p, err
	}
	if _, _, err := index.ParseKey(p.Key); err != nil {
		return p, r.Fail(err.Error())
	}
	return p, nil
}

// unusableKeys reports that the file of pinned keys is unusable, and names it once. That makes
// no key trusted again.
func unusableKeys(path string, err error) error {
	if fault, ok := errors.AsType[*lock.Error](err); ok {
		err = errors.New(fault.Reason)
	}
	return fmt.Errorf("the pinned keys in %s cannot be used: %w; correct the file, or move it away to pin every key again", path, err)
}

// pinKey remembers the key of an index if none is remembered or replace is set. It
// reports whether the key is new.
func pinKey(ctx context.Context, path, address, key string, replace bool, now time.Time) (added bool, err error) {
	release, err := lock.Hold(ctx, path)
	if err != nil {
		return false, unusableKeys(path, err)
	}
	defer release()
	k, err := readKeys(path)
	if err != nil {
		return false, err
	}
	old, known := k.Keys[address]
	switch {
	case known && old.Key == key:
		return false, nil
	case known && !replace:
		// Another process was first, with another key.
		return false, &KeyError{Index: address, Spec: address, Pinned: keyID(old.Key), Where: path, Offered: keyID(key), By: "its signature"}
	}
	k.Keys[address] = pin{Key: key, PinnedAt: now.UTC().Truncate(time.Second)}
	data, err := json.MarshalIndent(k, "", "  ")
	if err == nil {
		err = atomicfile.WriteBytes(path, 0o600, append(data, '\n'))
	}
	if err != nil {
		return false, unusableKeys(path, err)
	}
	return true, nil
}
