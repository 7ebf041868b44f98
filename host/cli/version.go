package cli

import "runtime/debug"

// version is the module's version, as the go command recorded it: that of a
// release, or "(devel)" for a build from a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
