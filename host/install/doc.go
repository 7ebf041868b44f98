// Package install brings plugins into the store and keeps lock files: install, sync,
// upgrade, remove, lock, mirror, verify.
//
// The order of an install: resolve, check the signature, compare what is announced
// with what is locked, lock beside the target, fetch with a cap, compare the archive's
// hash, unpack what is safe to unpack, compare manifest and binary, receipt, sync,
// rename, pin the key, and the lock file last. Whatever stops it in between, the store
// holds whole plugins only and the lock file names only what is there.
//
// It is the only package that downloads, and is imported by the command line alone:
// neither a run nor an agent's front can install. It prints nothing; [Events] tell
// what it does. It is not responsible for which plugin a run uses (package plugin).
package install
