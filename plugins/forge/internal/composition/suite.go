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

// Suite returns the parts that a suite directly needs, and in opaque why it may depend
// on more, or "" if it does not.
func (c *Composition) Suite(ctx context.Context, suite string) (needs []string, opaque string) {
	source, name, ok := selection.Split(suite)
	if !ok {
		return nil, "its name does not have the form FILE:CONTRACT"
	}
	if needs = []string{configurationPart, source}; !c.project.HasSource(source) {
		needs = needs[:1]
	}
	if c.opaque != "" {
		return needs, c.opaque
	}
	closure, missing := c.closure(ctx, source)
	if missing != "" {
		return needs, fmt.Sprintf("%s has changed since it was compiled", missing)
	}
	if c.cfg.Compiler == "" && !c.hasExactPragma(ctx, closure) {
		return needs, "forge chooses the compiler by the pragmas of all sources: set solc in foundry.toml"
	}
	if err := c.learnCheats(ctx, closure); err != nil {
		return needs, err.Error()
	}
	beyond, linked, err := c.findBeyond(ctx, artifact.Library{Source: source, Name: name})
	if err != nil {
		return needs, err.Error()
	}
	if linked {
		// Forge assigns addresses to all libraries of the project in one sequence.
		needs = append(needs, allSourcesPart)
	}
	return needs, strings.Join(beyond, "; ")
}

// Outside returns the sources of the project, libraries excepted, that a suite is not
// built from. It returns none if that is uncertain.
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

// closure returns a source and everything it imports. missing is a source of which the
// index has no current entry.
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

// hasExactPragma reports whether one of the sources accepts only a single version of the
// compiler: no other source's pragma can then change the choice.
func (c *Composition) hasExactPragma(ctx context.Context, sources []string) bool {
	return slices.ContainsFunc(sources, func(source string) bool {
		f := c.parsedFile(ctx, source)
		return f != nil && slices.ContainsFunc(f.Pragmas, pragma.IsExact)
	})
}

// learnCheats looks for cheat codes declared by the sources, in interfaces and abstract
// contracts: a caller of a cheat code does not implement it.
func (c *Composition) learnCheats(ctx context.Context, sources []string) error {
	for _, source := range sources {
		if c.learned[source] {
			continue
		}
		f := c.parsedFile(ctx, source)
		if f == nil {
			return fmt.Errorf("cannot read %s", source)
		}
		for _, name := range c.project.Contracts(source) {
			if declared, ok := f.Contract(name); ok && declared.Kind != "interface" && !declared.Abstract {
				continue
			}
			methods, err := c.project.Methods(ctx, source, name)
			if err != nil {
				return fmt.Errorf("functions of %s:%s: %w", source, name, err)
			}
			c.book.Learn(slices.Collect(maps.Keys(methods)))
		}
		c.learned[source] = true
	}
	return nil
}

// findBeyond returns how a contract and the libraries it is linked with reach beyond their
// sources, and whether there are such libraries.
func (c *Composition) findBeyond(ctx context.Context, contract artifact.Library) (beyond []string, linked bool, err error) {
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
