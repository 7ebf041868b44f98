package gotest

import (
	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/plugins/go/internal/toolchain"
	"github.com/proctorhq/proctor/sdk"
)

// coverageFlags returns the flags with which a run leaves a coverage profile, or why there are
// none: they must not change what the user asked for, or what the run says.
//
// Packages are only measured by their own tests: the result of -coverpkg does not show
// who executed what.
func (p project) coverageFlags(args goflags.Args) (flags []string, why string) {
	variable := goflags.Args{Flags: variableFlags(p.workspace.Env["GOFLAGS"])}
	for _, name := range []string{"coverprofile", "coverpkg", "fuzz"} {
		_, given := args.Get(name)
		value, inVariable := variable.Get(name)
		switch {
		case given || inVariable && value != "":
			return nil, "the coverage of this run is not read: -" + name + " is given, and go test does that instead"
		}
	}
	if p.lacksCovdata() {
		return nil, "the coverage of this run is not measured: a downloaded toolchain of Go 1.25 then fails in packages without tests (golang.org/issue/75031)"
	}
	return []string{"-coverprofile=" + sdk.Scratch + "/" + profileFile}, ""
}

// lacksCovdata reports whether go test -cover would fail in packages without tests:
// that needs a tool which Go 1.25 builds on demand, but not if another toolchain
// downloaded this one. See https://go.dev/issue/75031.
func (p project) lacksCovdata() bool {
	installed := toolchain.Find(toolchain.Settings{Program: p.workspace.Tools[tool], Toolchain: "local"})
	return p.version.AtLeast("go1.25") && !p.version.AtLeast("go1.26") && p.version != installed
}
