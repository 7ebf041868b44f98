package cli

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

func newVersionCommand(a *app) *cobra.Command {
	var out *output
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the version, its commit and the platform",
		Long: `Show proctor's version, the commit it was built from and whether the sources had
uncommitted changes, the version of Go that built it, the platform, and the version of the
protocol that it speaks with plugins. proctor --version prints the version alone.`,
		Example: `  proctor version
  proctor version --json`,
		Args: takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo()
			return print(a, out, describeBuild(info), plainly(render.Version))
		},
	}
	out = newOutput(cmd, "an object")
	return cmd
}

// unreleased is the version of a build to which the go command gave none.
const unreleased = "(devel)"

// version returns the module's version, as recorded by the go command.
func version() string {
	info, _ := debug.ReadBuildInfo()
	return describeBuild(info).Version
}

// describeBuild returns what the go command recorded of a build. A release has the
// version of its tag, a build by the module proxy a version and a checksum, and one from
// a checkout a version made up of the commit's time and hash. info may be nil.
func describeBuild(info *debug.BuildInfo) api.Version {
	v := api.Version{
		Schema: api.VersionSchema, Version: unreleased,
		GoVersion: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Protocol: sdk.ProtocolVersion,
	}
	if info == nil {
		return v
	}
	v.Version, v.ModuleSum = cmp.Or(info.Main.Version, unreleased), info.Main.Sum
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.CommittedAt = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
