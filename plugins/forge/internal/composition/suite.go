package composition

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
	"github.com/proctorhq/proctor/plugins/forge/internal/pragma"
	"github.com/proctorhq/proctor/plugins/forge/internal/selection"
)

// Suite are the parts that a suite is built from, without those that these need, and
// why it may depend on more; opaque is empty where it does not.
func (c *Composition) Suite(ctx context.Context, suite string) (needs []string, opaque string) {
	source, name, ok := selection.Split(suite)
	if !ok {
		return nil, "its name is none of forge's"
	}
	if needs = []string{configuration, source}; !c.project.Has(source) {
		needs = needs[:1]
	}
	if c.opaque != "" {
		return needs, c.opaque
	}
	closure, missing := c.closure(ctx, source)
	if missing != "" {
		return needs, fmt.Sprintf("the compiler's account of %s is not of what it is now", missing)
	}
	if c.cfg.Compiler == "" && !c.exactly(ctx, closure) {
		return needs, "forge chooses the compiler by the pragmas of all sources: set solc in foundry.toml"
	}
	if err := c.learn(ctx, closure); err != nil {
		return needs, err.Error()
	}
	beyond, linked, err := c.beyond(ctx, artifact.Library{Source: source, Name: name})
	if err != nil {
		return needs, err.Error()
	}
	if linked {
		// Forge gives all libraries of the project their addresses one after the other.
		needs = append(needs, allSources)
	}
	return needs, strings.Join(beyond, "; ")
}

// Outside are the sources of the project, libraries left out, that a suite is not
// built from; none where that is not certain.
func (c *Composition) Outside(ctx context.Context, suite string) []string {
	source, _, ok := selection.Split(suite)
	closure, missing := c.closure(ctx, source)
	if !ok || missing != "" {
		return nil
	}
	inside := map[string]bool{}
	for _, p := range closure {
		inside[p] = true
	}
	return slices.DeleteFunc(c.project.Files(), func(p string) bool { return inside[p] || c.project.IsLibrary(p) })
}

// closure are a source and all that it imports. missing is one that the index does
// not have as it is.
func (c *Composition) closure(ctx context.Context, source string) (all []string, missing string) {
	seen := map[string]bool{source: true}
	all = []string{source}
	for i := 0; i < len(all); i++ {
		if !c.isCurrent(ctx, all[i]) {
			return nil, all[i]
		}
		for _, imported := range c.project.Imports(all[i]) {
			if !seen[imported] {
				seen[imported] = true
				all = append(all, imported)
			}
		}
	}
	return all, ""
}

// exactly reports whether one of the sources takes one version of the compiler alone:
// then no pragma of another source changes the choice.
func (c *Composition) exactly(ctx context.Context, sources []string) bool {
	return slices.ContainsFunc(sources, func(source string) bool {
		f := c.file(ctx, source)
		return f != nil && slices.ContainsFunc(f.Pragmas, pragma.IsExact)
	})
}

// learn looks for cheat codes that the sources declare: in interfaces and abstract
// contracts, since what calls a cheat code does not implement it.
func (c *Composition) learn(ctx context.Context, sources []string) error {
	for _, source := range sources {
		if c.learned[source] {
			continue
		}
		f := c.file(ctx, source)
		if f == nil {
			return fmt.Errorf("%s cannot be read", source)
		}
		for _, name := range c.project.Contracts(source) {
			if declared, ok := f.Contract(name); ok && declared.Kind != "interface" && !declared.Abstract {
				continue
			}
			methods, err := c.project.Methods(ctx, source, name)
			if err != nil {
				return fmt.Errorf("the functions of %s:%s are not known: %w", source, name, err)
			}
			c.book.Learn(slices.Collect(maps.Keys(methods)))
		}
		c.learned[source] = true
	}
	return nil
}

// beyond tells how a contract and the libraries that it is linked with reach beyond
// their sources, and whether there are such libraries.
func (c *Composition) beyond(ctx context.Context, contract artifact.Library) (beyond []string, linked bool, err error) {
	queue := []artifact.Library{contract}
	for i := 0; i < len(queue); i++ {
		creations, err := c.project.Creations(ctx, queue[i].Source, queue[i].Name)
		if err != nil {
			return nil, false, err
		}
		for _, creation := range creations {
			beyond = append(beyond, c.book.Beyond(creation.Code)...)
			for _, library := range creation.Libraries {
				if !slices.Contains(queue, library) {
					queue = append(queue, library)
				}
			}
		}
	}
	slices.Sort(beyond)
	return slices.Compact(beyond), len(queue) > 1, nil
}
