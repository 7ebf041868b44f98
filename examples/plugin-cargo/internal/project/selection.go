package project

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"example.com/proctor-plugin-cargo/internal/arguments"
)

// Selected are the targets that cargo test would run with some arguments.
type Selected struct {
	// Packages are the names of the packages they belong to.
	Packages []string
	Targets  []Target
	// MissingFeatures are targets that are left out because the features that they
	// require are not enabled.
	MissingFeatures []Target
	// NotSelected are the names of the other packages of the workspace.
	NotSelected []string
}

// UnknownPackageError is a -p that names no member of the workspace.
type UnknownPackageError struct{ Name string }

func (e *UnknownPackageError) Error() string {
	return fmt.Sprintf("the workspace has no package %q; `cargo metadata --no-deps` lists the packages", e.Name)
}

// Select returns what cargo test would run with args.
func (p *Project) Select(args arguments.Arguments) (Selected, error) {
	var s Selected
	for _, want := range args.Packages {
		if !slices.ContainsFunc(p.Packages, func(pkg Package) bool { return matchesSpec(want, pkg) }) {
			return Selected{}, &UnknownPackageError{Name: want}
		}
	}
	for _, pkg := range p.Packages {
		if !p.includes(args, pkg) {
			s.NotSelected = append(s.NotSelected, pkg.Name)
			continue
		}
		s.Packages = append(s.Packages, pkg.Name)
		enabled := pkg.enabledFeatures(args)
		for _, t := range pkg.Targets {
			switch {
			case !isSelected(args.Targets, t):
			case slices.ContainsFunc(t.Required, func(f string) bool { return !enabled[f] }):
				s.MissingFeatures = append(s.MissingFeatures, t)
			default:
				s.Targets = append(s.Targets, t)
			}
		}
	}
	return s, nil
}

func (p *Project) includes(args arguments.Arguments, pkg Package) bool {
	if slices.ContainsFunc(args.Exclude, func(x string) bool { return matchesSpec(x, pkg) }) {
		return false
	}
	switch {
	case len(args.Packages) > 0:
		return slices.ContainsFunc(args.Packages, func(want string) bool { return matchesSpec(want, pkg) })
	case args.Workspace:
		return true
	default:
		return slices.Contains(p.Default, pkg.Name)
	}
}

// matchesSpec reports whether a cargo package specification matches pkg: a name, which may
// be a pattern, optionally with a version or a URL.
func matchesSpec(spec string, pkg Package) bool {
	if spec == pkg.ID {
		return true
	}
	if i := strings.LastIndex(spec, "#"); i >= 0 {
		spec = spec[i+1:]
	}
	spec, _, _ = strings.Cut(spec, "@")
	ok, err := path.Match(spec, pkg.Name)
	return err == nil && ok
}

// isSelected reports whether cargo's flags for targets select t. Without flags, cargo test
// runs the targets marked as tested, and doc tests.
func isSelected(flags []arguments.Target, t Target) bool {
	if len(flags) == 0 {
		return t.Tested
	}
	return slices.ContainsFunc(flags, func(f arguments.Target) bool {
		if f.Flag == "--doc" || t.Kind == KindDoc {
			return f.Flag == "--doc" && t.Kind == KindDoc
		}
		switch f.Flag {
		case "--all-targets":
			return true
		case "--tests":
			return t.Tested
		case "--benches":
			return t.Kind == "bench"
		case "--lib", "--bins", "--examples":
			return strings.TrimSuffix(f.Flag[2:], "s") == t.Kind
		default:
			ok, err := path.Match(f.Name, t.Name)
			return f.Flag[2:] == t.Kind && err == nil && ok
		}
	})
}

// enabledFeatures returns the package's own features that args enable.
func (pkg Package) enabledFeatures(args arguments.Arguments) map[string]bool {
	on := map[string]bool{}
	var turn func(feature string)
	turn = func(feature string) {
		if member, f, ok := strings.Cut(feature, "/"); ok && member == pkg.Name {
			feature = f
		}
		if implied, ok := pkg.Features[feature]; ok && !on[feature] {
			on[feature] = true
			for _, i := range implied {
				turn(i)
			}
		}
	}
	if !args.NoDefaultFeatures {
		turn("default")
	}
	for _, f := range args.Features {
		turn(f)
	}
	if args.AllFeatures {
		for f := range pkg.Features {
			turn(f)
		}
	}
	return on
}
