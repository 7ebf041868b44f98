// Package install puts plugins into the store and maintains lock files: install, sync,
// upgrade, remove, lock, mirror, verify.
//
// An install resolves, checks the signature, compares what the source announces with what
// is locked, takes the lock beside the target, fetches with a size limit, compares the
// archive's hash, unpacks safely, compares manifest and binary, writes the receipt, syncs,
// renames, pins the key, and updates the lock file last. Wherever it stops, the store holds
// only complete plugins and the lock file names only what is there.
//
// Only this package downloads, and only the command line imports it: neither a run nor
// an agent's front can install. It prints nothing; [Events] report what it does.
// Package plugin decides which plugin a run uses.
package install
