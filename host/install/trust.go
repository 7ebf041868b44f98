package install

import (
	"errors"
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/install/source"
	"github.com/proctorhq/proctor/host/plugin/lock"
)

// KeyError reports that an index is not signed by its pinned key. Nothing was
// installed.
type KeyError struct {
	Index string
	// Pinned and Offered are ids of keys; Offered is empty if the index is not signed.
	// Where is the file that pins.
	Pinned, Offered, Where string
	// By says who offers the other key if it is not the index's signature: a lock file
	// or a flag.
	By string
	// Spec is what `proctor plugin install` accepts for the same plugin.
	Spec string
	Err  error
}

func (e *KeyError) Error() string {
	if e.By != "" {
		return fmt.Sprintf("%s pins the key %s for %s, and %s gives the key %s; nothing was installed", e.Where, e.Pinned, e.Index, e.By, e.Offered)
	}
	how := "is no longer signed"
	switch {
	case e.Offered == e.Pinned:
		how = "was changed after it was signed"
	case e.Offered != "":
		how = "is signed by the key " + e.Offered
	}
	return fmt.Sprintf("%s %s, and %s pins the key %s for it; nothing was installed", e.Index, how, e.Where, e.Pinned)
}

// Detail says how to change the key.
func (e *KeyError) Detail() string {
	if e.Offered == e.Pinned {
		return "The index is damaged, was not signed again after a change, or somebody else wrote it. Ask its publisher."
	}
	return fmt.Sprintf(`If its publisher told you of a new key, somewhere other than beside the index:
  proctor plugin install %s --key RW… --repin
If not, somebody else may have written this index.`, e.Spec)
}

func (e *KeyError) Unwrap() error { return e.Err }

// unsignedBy reports that the signature of an index is invalid.
func unsignedBy(address, key string, err error) error {
	return fmt.Errorf("%s is not signed by the key %s: %w; nothing was installed. Check the key with its publisher", address, key, err)
}

// claim is the evidence to judge an index by.
type claim struct {
	address string
	// signed is nil for sources that are not indexes.
	signed *source.Signed
	// given is the key of --key; repin lets it replace a pinned one.
	given string
	repin bool
	// lock is the lock file, which may name the index's signer.
	lock lockFile
	// spec is what `proctor plugin install` accepts for the plugin: its name if it is
	// locked.
	spec string
}

// judgment is the key that vouches for an index; empty if there is none.
type judgment struct {
	key   string
	repin bool
}

// signer returns the key as lock files write it.
func (j judgment) signer() string {
	if j.key == "" {
		return ""
	}
	return lock.SignerScheme + j.key
}

// judge decides whether to trust an index. It changes nothing.
func (in *Installer) judge(c claim) (judgment, error) {
	if c.signed == nil {
		if c.given != "" {
			return judgment{}, &UsageError{Reason: "--key: only an index.json is signed, and " + c.address + " is not one"}
		}
		return judgment{}, nil
	}
	key, where, err := in.expectedKey(c)
	if err != nil {
		return judgment{}, err
	}
	switch {
	case len(c.signed.Signature) == 0 && where != "":
		return judgment{}, &KeyError{Index: c.address, Spec: c.spec, Pinned: keyID(key), Where: where}
	case len(c.signed.Signature) == 0 && key != "":
		return judgment{}, unsignedBy(c.address, keyID(key), errors.New("it has no signature"))
	case len(c.signed.Signature) == 0:
		in.cfg.Events.unsigned(c.address)
		return judgment{}, nil
	}
	by, err := index.KeyOf(c.signed.Signature)
	if err != nil {
		return judgment{}, unsignedBy(c.address, keyID(key), err)
	}
	if key == "" {
		if len(c.signed.PublicKey) == 0 {
			return judgment{}, fmt.Errorf("%s is signed by the key %s, and no key is known for it: there is no minisign.pub beside it. Get the key from its publisher and run: proctor plugin install %s --key RW…",
				c.address, by, c.spec)
		}
		if key, _, err = index.ParseKey(string(c.signed.PublicKey)); err != nil {
			return judgment{}, unsignedBy(c.address, by, fmt.Errorf("%s: %w", index.KeyFile, err))
		}
	}
	if err := index.Verify(c.signed.Data, c.signed.Signature, key); err != nil {
		if where != "" {
			return judgment{}, &KeyError{Index: c.address, Spec: c.spec, Pinned: keyID(key), Offered: by, Where: where, Err: err}
		}
		return judgment{}, unsignedBy(c.address, keyID(key), err)
	}
	return judgment{key: key, repin: c.repin}, nil
}

// expectedKey returns the key that must have signed an index, and the file that pins
// it, empty if the user just gave it. Without a key, it may be the first use.
func (in *Installer) expectedKey(c claim) (key, where string, err error) {
	if c.given != "" && c.repin {
		return c.given, "", nil
	}
	pinned, err := readKeys(in.cfg.Keys)
	if err != nil {
		return "", "", err
	}
	if p, ok := pinned.Keys[c.address]; ok {
		key, where = p.Key, in.cfg.Keys
	}
	signer, err := c.lock.signer(c)
	if err != nil {
		return "", "", err
	}
	if signer != "" {
		locked, ok := strings.CutPrefix(signer, lock.SignerScheme)
		if !ok {
			return "", "", fmt.Errorf("%s names the signer %q of %s, in a form that this proctor does not know; nothing was installed. Upgrade proctor",
				c.lock.path, signer, c.address)
		}
		if _, _, err := index.ParseKey(locked); err != nil {
			return "", "", fmt.Errorf("%s: the signer of %s is not a key: %w", c.lock.path, c.address, err)
		}
		if key != "" && key != locked {
			return "", "", &KeyError{Index: c.address, Spec: c.spec, Pinned: keyID(key), Where: where, Offered: keyID(locked), By: c.lock.path}
		}
		if key == "" {
			key, where = locked, c.lock.path
		}
	}
	if c.given != "" {
		if key != "" && key != c.given {
			return "", "", &KeyError{Index: c.address, Spec: c.spec, Pinned: keyID(key), Where: where, Offered: keyID(c.given), By: "--key"}
		}
		if key == "" {
			key = c.given
		}
	}
	return key, where, nil
}
