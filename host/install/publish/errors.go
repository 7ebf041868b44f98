package publish

import (
	"fmt"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// PublishedError reports that something different was already published.
type PublishedError struct {
	Name, Version string
	Platform      manifest.Platform
	// File is the file of the archive that differs. It is empty if the archive itself
	// is not the published one and cannot be opened.
	File string
	// Published and Packed are the hashes of File, or of the archives.
	Published, Packed string
}

func (e *PublishedError) Error() string {
	if e.File == "" {
		return fmt.Sprintf("the archive of %s %s for %s is no longer in the tree, and packing again gives a different one: copy it back from where it is published, or give the new one another version in %s",
			e.Name, e.Version, e.Platform, manifest.File)
	}
	return fmt.Sprintf("%s %s for %s is published with another %s, and users have its hash in their lock files: give the new one another version in %s",
		e.Name, e.Version, e.Platform, e.File, manifest.File)
}

// Detail returns the hashes.
func (e *PublishedError) Detail() string {
	return "  published  " + hashText(e.Published) + "\n  packed     " + hashText(e.Packed)
}

func hashText(hash string) string {
	if hash == "" {
		return "(no such file)"
	}
	return "sha256:" + hash
}
