package plugin

import (
	"context"
	"slices"

	"github.com/proctorhq/proctor/sdk/client"
)

// Protocols returns the versions of the detector protocol that this proctor speaks.
func Protocols() []int {
	var versions []int
	for v := range client.Plugins() {
		versions = append(versions, v)
	}
	slices.Sort(versions)
	return versions
}

// Verify compares the binary of a locked plugin with its hash, as before each launch.
// The error is a [*held.MismatchError]. The store belongs to the user and its files are
// read-only: whoever could replace one between this check and the start could just as
// well change proctor.
func (c Candidate) Verify(ctx context.Context) error {
	if c.Lock == nil {
		return nil
	}
	return c.Lock.Expected.Compare(ctx, c.Path)
}
