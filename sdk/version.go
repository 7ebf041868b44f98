package sdk

import "runtime/debug"

// modulePath is the module whose version is that of the SDK.
const modulePath = "github.com/proctorhq/proctor"

// version is that of the SDK as linked into this program, "(devel)" where the
// build does not tell.
func version() string {
	const unknown = "(devel)"
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return unknown
	}
	modules := append([]*debug.Module{&build.Main}, build.Deps...)
	for _, module := range modules {
		if module.Path == modulePath && module.Version != "" {
			return module.Version
		}
	}
	return unknown
}
