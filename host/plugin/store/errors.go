package store

import "fmt"

// NotInstalledError reports that the store lacks a plugin.
type NotInstalledError struct{ Name, Version, Dir string }

func (e *NotInstalledError) Error() string {
	return fmt.Sprintf("plugin %s %s is not installed in %s", e.Name, e.Version, e.Dir)
}

// DamagedError reports that an installed plugin is incomplete, or could have been
// changed by others.
type DamagedError struct{ Name, Version, Path, Reason string }

func (e *DamagedError) Error() string {
	return fmt.Sprintf("plugin %s %s is damaged: %s: %s", e.Name, e.Version, e.Path, e.Reason)
}

// ChecksumError reports that a file is not the expected one.
type ChecksumError struct {
	Name, Version, Path string
	// Expected and Actual are hashes; By says who expects it, such as "proctor.lock,
	// linux_amd64".
	Expected, Actual, By string
}

func (e *ChecksumError) Error() string {
	return fmt.Sprintf("plugin %s %s: %s has the hash %s, and %s says %s", e.Name, e.Version, e.Path, e.Actual, e.By, e.Expected)
}

// DifferentError reports that other content is installed under the same version.
type DifferentError struct{ Name, Version, Path, Installed, Offered string }

func (e *DifferentError) Error() string {
	return fmt.Sprintf("plugin %s %s is installed with other content in %s (hash %s, offered %s): it is not overwritten", e.Name, e.Version, e.Path, e.Installed, e.Offered)
}
