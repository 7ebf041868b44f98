package install

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/host/install/source"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// wish is what to install, and what is known of it.
type wish struct {
	// lock is the lock file as it was.
	lock lockFile
	// text is what the user wrote, spec its meaning.
	text string
	spec source.Spec
	// constraint is for the lock file; asked is what the user wrote.
	constraint, asked string
	// latest reports whether any version will do, whatever is locked.
	latest bool
	// key is the given key, hash what --sha256 expects.
	key   string
	repin bool
	hash  lock.Hashes
}

// plan interprets a request.
func (in *Installer) plan(req Request) (wish, error) {
	w := wish{text: req.Spec, repin: req.Repin}
	var err error
	if w.lock, err = in.read(req.Lock); err != nil {
		return w, err
	}
	if w.spec, err = source.Parse(req.Spec); err != nil {
		return w, err
	}
	w.constraint, w.asked = w.spec.Constraint, w.spec.Constraint
	w.latest = strings.HasSuffix(req.Spec, "@"+latest)
	if w.spec.Kind == source.Named {
		if err := w.fromLock(); err != nil {
			return w, err
		}
	}
	if w.spec.Kind == source.Local {
		if w.spec.Address, err = filepath.Abs(w.spec.Address); err != nil {
			return w, err
		}
	}
	if req.Key != "" {
		if w.key, err = givenKey(req.Key); err != nil {
			return w, err
		}
	} else if req.Repin {
		return w, &UsageError{Reason: "--repin needs the new key: --key RW…"}
	}
	if req.SHA256 != "" {
		err = w.wantHash(req.SHA256)
	}
	return w, err
}

// latest stands for any version where the locked one would be the default.
const latest = "latest"

// fromLock finds the source of a plugin known only by name: the same version again,
// unless another is requested.
func (w *wish) fromLock() error {
	name := w.spec.Address
	if _, ok := w.lock.Plugins[name]; !ok {
		return fmt.Errorf("%s, so it is not known where it comes from; give its source: proctor plugin install https://HOST/index.json#%s, or ./FILE.tar.gz", w.lock.lacks(name), name)
	}
	entry, asked := w.lock.entry(name), w.spec.Constraint
	spec, err := entry.origin()
	if err != nil {
		return err
	}
	if asked != "" || w.latest {
		spec.Constraint = asked
	}
	w.spec, w.constraint = spec, asked
	if !w.latest && (asked == "" || asked == entry.Version) {
		// It is reinstalled, which does not affect upgrades.
		w.constraint = entry.Constraint
	}
	return nil
}

// means reports whether the user wants another version than the locked one: they named
// a version, or a constraint that the locked one violates.
func (w wish) means(locked string) bool {
	return w.asked != "" && !allowsVersion(w.asked, locked)
}

// wantHash sets the hash of --sha256.
func (w *wish) wantHash(text string) error {
	digits := strings.TrimPrefix(strings.ToLower(text), lock.HashScheme)
	if !manifest.ValidSHA256(digits) {
		return &UsageError{Reason: fmt.Sprintf("--sha256 %q is not a hash: give 64 hexadecimal digits", text)}
	}
	if w.spec.Kind == source.GoModule {
		return &UsageError{Reason: "--sha256: a Go module has no archive; the go command checks its hash with the checksum database, and the lock file has that"}
	}
	w.hash.Archive = lock.Hash(digits)
	if st, err := os.Stat(w.spec.Address); w.spec.Kind == source.Local && err == nil && st.IsDir() {
		w.hash = lock.Hashes{Bin: lock.Hash(digits)}
	}
	return nil
}
