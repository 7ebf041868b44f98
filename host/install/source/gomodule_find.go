package source

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/internal/lazyregexp"
)

// maxPassed bounds the versions in an error.
const maxPassed = 20

// incompatible ends versions that Go supports for compatibility, and does not choose by
// itself either.
const incompatible = "+incompatible"

// module is what the go command says about a module.
type module struct {
	Path, Version, Sum, Dir string
	Versions                []string
	// Error is a text, or an object with one.
	Error json.RawMessage
}

// find finds the module of a package: like the go command, the one with the longest
// path that has it.
func (g *goModule) find(ctx context.Context, cmd *goCommand, q Query) (module, error) {
	paths := modulePaths(g.pkg)
	var candidates []string
	// A single version need not be listed: those that Go makes of commits are not.
	if exact, ok := manifest.ExactVersion(q.Constraint); ok {
		for _, p := range paths {
			candidates = append(candidates, p+"@v"+exact)
		}
	} else {
		listed, err := cmd.modules(ctx, append([]string{"list", "-e", "-m", "-versions", "-json"}, paths...)...)
		if err != nil {
			return module{}, err
		}
		if candidates, err = g.choose(listed, q); err != nil {
			return module{}, err
		}
	}
	fetched, err := cmd.modules(ctx, append([]string{"mod", "download", "-json"}, candidates...)...)
	if err != nil {
		return module{}, err
	}
	slices.SortFunc(fetched, func(a, b module) int { return len(b.Path) - len(a.Path) })
	lacking := ""
	for _, m := range fetched {
		if m.Dir == "" || m.Sum == "" {
			continue
		}
		if hasGoFiles(g.directory(m)) {
			return m, nil
		}
		lacking = m.Path + " " + m.Version
	}
	if lacking != "" {
		return module{}, g.unusable(errors.New("the module " + lacking + " does not have the package"))
	}
	return module{}, g.unusable(errors.New(faults(fetched)))
}

// choose selects a version of each existing module.
func (g *goModule) choose(listed []module, q Query) ([]string, error) {
	constraint, err := manifest.ParseConstraint(q.Constraint)
	if err != nil {
		return nil, err
	}
	var chosen []string
	var passed []index.Passed
	found := false
	for _, m := range listed {
		if len(m.Error) > 0 {
			continue
		}
		found = true
		best := ""
		for _, v := range m.Versions {
			plain := strings.TrimPrefix(v, "v")
			switch {
			case !manifest.ValidVersion(plain):
				passed = append(passed, index.Passed{Version: plain, Reason: "is not a version that a plugin can have"})
			case strings.HasSuffix(v, incompatible):
				passed = append(passed, index.Passed{Version: plain, Reason: "is from before the module had a go.mod"})
			case !constraint.Allows(plain):
				reason := "is not within the constraint"
				if manifest.IsPrerelease(plain) {
					reason = "is a prerelease: write @" + plain + " for it"
				}
				passed = append(passed, index.Passed{Version: plain, Reason: reason})
			case best == "" || manifest.CompareVersions(plain, best) > 0:
				best = plain
			}
		}
		if best != "" {
			chosen = append(chosen, m.Path+"@v"+best)
		}
	}
	switch {
	case len(chosen) > 0:
		return chosen, nil
	case !found:
		return nil, g.unusable(errors.New(faults(listed)))
	}
	slices.SortFunc(passed, func(a, b index.Passed) int { return manifest.CompareVersions(b.Version, a.Version) })
	return nil, noVersion(g.address(), cmp.Or(g.name, "it"), q.Constraint, passed[:min(len(passed), maxPassed)]...)
}

// directory returns where the package is in a fetched module.
func (g *goModule) directory(m module) string {
	return filepath.Join(m.Dir, filepath.FromSlash(strings.TrimPrefix(strings.TrimPrefix(g.pkg, m.Path), "/")))
}

// modules runs a go command that prints a sequence of modules. Each reports its own
// failure.
func (c *goCommand) modules(ctx context.Context, args ...string) ([]module, error) {
	out, err := c.run(ctx, args...)
	if ctx.Err() != nil {
		return nil, err
	}
	var all []module
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var m module
		if decErr := dec.Decode(&m); errors.Is(decErr, io.EOF) {
			break
		} else if decErr != nil {
			return nil, cmp.Or[error](err, &FetchError{Address: c.address, Reason: "what the go command says of it cannot be understood", Err: decErr})
		}
		all = append(all, m)
	}
	if len(all) == 0 {
		return nil, cmp.Or[error](err, &FetchError{Address: c.address, Reason: "the go command says nothing of it"})
	}
	return all, nil
}

// faults returns the go command's complaints about modules.
func faults(all []module) string {
	var texts []string
	for _, m := range all {
		var object struct{ Err string }
		var text string
		if json.Unmarshal(m.Error, &object) == nil && object.Err != "" {
			texts = append(texts, object.Err)
		} else if json.Unmarshal(m.Error, &text) == nil && text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "; ")
}

// modulePaths returns the possible paths of a package's module, longest first.
func modulePaths(pkg string) []string {
	paths := []string{pkg}
	for end := strings.LastIndexByte(pkg, '/'); end > 0; end = strings.LastIndexByte(pkg[:end], '/') {
		paths = append(paths, pkg[:end])
	}
	return paths
}

// programOf returns the go command's name for the program of a package: the last path
// element that is not a major version.
func programOf(elements []string) string {
	last := len(elements) - 1
	if last > 0 && majorVersion.MatchString(elements[last]) {
		last--
	}
	return elements[last]
}

var majorVersion = lazyregexp.New(`^v[0-9]+$`)

func hasGoFiles(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".go") })
}
