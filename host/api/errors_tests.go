package api

import "fmt"

// NoListingError says that a plugin cannot list tests.
type NoListingError struct {
	Plugin, Version, Language string
}

func (e *NoListingError) Error() string {
	return fmt.Sprintf("plugin %s %s cannot list the tests of %s without running them; run them: the results name them", e.Plugin, e.Version, e.Language)
}

// BusyError says that a run goes on beside which something else cannot be done.
type BusyError struct {
	Holder Holder
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("%s goes on in this workspace, and listing its tests would compile what that is using; ask again when it has ended", e.Holder)
}
