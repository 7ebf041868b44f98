package gotest

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/sdk"
)

// vetChecks are those that "go test" makes of a package before it runs its tests, in its
// order: with others, it would not find the results in the cache.
var vetChecks = []string{"-atomic", "-bool", "-buildtags", "-directive", "-errorsas", "-ifaceassert", "-nilfunc", "-printf", "-slog", "-stringintconv", "-tests"}

// check returns the command that says of all packages what does not compile, or is refused
// by vet, while "go test" says so when a package's turn comes. It is nil if "go test" would
// not find its work in the cache: it has kept what vet said since Go 1.26. It is nil, too, if
// GOFLAGS has what may mean something else to "go vet": with -fix it would edit sources.
func (p project) check(args goflags.Args, packages []string, covers bool) *sdk.Command {
	variable, known := vetFlags(p.workspace.Env["GOFLAGS"])
	all := slices.Concat(args.Flags, variable)
	if covers || !known || !p.version.AtLeast("go1.26") || slices.ContainsFunc(all, otherwiseBuilt) {
		return nil
	}
	return &sdk.Command{
		Argv:     slices.Concat([]string{tool, "vet"}, vetChecks, args.Words(buildFlag), packages),
		Prepares: true,
	}
}

// vetFlags returns the flags of GOFLAGS; known reports whether "go vet" builds by each, or
// ignores it.
func vetFlags(text string) (flags []goflags.Flag, known bool) {
	words, err := goflags.Split(text)
	if err != nil {
		return nil, false
	}
	args, err := goflags.Parse(words)
	if err != nil || len(args.Unknown)+len(args.Packages)+len(args.Tail) > 0 {
		return nil, false
	}
	for _, f := range args.Flags {
		switch f.Name {
		case "buildvcs", "count", "failfast", "parallel", "run", "short", "shuffle", "skip", "timeout":
		default:
			if !buildFlag(f) && !otherwiseBuilt(f) {
				return nil, false
			}
		}
	}
	return args.Flags, true
}

// otherwiseBuilt reports whether with a flag "go test" builds something else than "go vet"
// does, or checks something else.
func otherwiseBuilt(flag goflags.Flag) bool {
	return flag.Name == "vet" || flag.Name == "a" || flag.Name == "toolexec" || strings.HasPrefix(flag.Name, "cover")
}

// buildFlag reports whether a flag decides how packages are built.
func buildFlag(flag goflags.Flag) bool {
	switch flag.Name {
	case "asmflags", "buildmode", "gccgoflags", "gcflags", "ldflags", "linkshared", "modcacherw", "p", "pgo", "pkgdir", "trimpath":
		return true
	}
	return selectsFiles(flag)
}
